package dev.auk.game

/** A moment, by the clock and by the processor time that the whole JVM had used. */
internal class Clock private constructor(private val ns: Long, private val processorNs: Long) {
    /** A time that passed. Other programs on a busy machine make the first longer, not the second. */
    data class Span(val us: Long, val processorUs: Long)

    /** The time since this moment. */
    fun passed(): Span = now().let { Span((it.ns - ns) / NS_PER_US, (it.processorNs - processorNs) / NS_PER_US) }

    companion object {
        private const val NS_PER_US = 1000

        /** This moment. */
        fun now() = Clock(System.nanoTime(), ProcessHandle.current().info().totalCpuDuration().map { it.toNanos() }.orElse(0))
    }
}
