package dev.auk.game

/** A moment of the whole JVM, as the time since some other. */
internal class Clock private constructor(private val at: Span) {
    /** The time since this moment. */
    fun passed(): Span = now().at - at

    companion object {
        /** This moment. */
        fun now() = Clock(Span(System.nanoTime(), ProcessHandle.current().info().totalCpuDuration().map { it.toNanos() }.orElse(0)))
    }
}
