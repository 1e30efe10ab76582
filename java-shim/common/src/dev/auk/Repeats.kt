package dev.auk

import java.util.concurrent.TimeUnit

/** Counts what happens again and again, and lets one report through a minute, so that a flood of chat is not a flood of log lines. */
internal class Repeats(private val nanoTime: () -> Long = System::nanoTime) {
    private var unreported = 0L
    private var lastReport: Long? = null

    /** Counts one and answers how many to report, or 0. */
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

    /** Counts one and hands [say] the line to report with the number of those that were not, or does nothing. */
    fun report(line: String, say: (String) -> Unit) {
        val count = count()
        if (count == 1L) say(line)
        if (count > 1) say("$line (${count - 1} more since the last such line)")
    }
}
