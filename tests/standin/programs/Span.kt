package dev.auk.game

/**
 * A time that passed, by the clock and by the processor time of a thread or of the whole JVM. A collector of garbage and other programs on a
 * busy machine make the first longer.
 */
internal data class Span(val ns: Long, val processorNs: Long) {
    operator fun plus(other: Span) = Span(ns + other.ns, processorNs + other.processorNs)

    operator fun minus(other: Span) = Span(ns - other.ns, processorNs - other.processorNs)

    /** The longer of each. */
    fun max(other: Span) = Span(maxOf(ns, other.ns), maxOf(processorNs, other.processorNs))
}
