package dev.auk

import java.util.concurrent.TimeUnit

/** Counts the frames that found the queue full, and lets one report through a minute, so that a flood of chat is not a flood of log lines. */
internal class Refusals(private val nanoTime: () -> Long = System::nanoTime) {
    private var unreported = 0L
    private var lastReport: Long? = null

    /** Counts one frame and answers how many to report, or 0. */
    @Synchronized
    fun count(): Long {
        unreported += 1
        val now = nanoTime()
        val last = lastReport
        if (last != null && now - last < TimeUnit.MINUTES.toNanos(1)) return 0
        lastReport = now
        return drain()
    }

    /** Answers how many were never reported, for the end. */
    @Synchronized
    fun drain(): Long = unreported.also { unreported = 0 }
}
