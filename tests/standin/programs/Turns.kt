package dev.auk.game

import java.lang.management.ManagementFactory

/** Whose turn it is on each thread, the mod's or the game's, so that what the stand-in takes is not taken for the mod's. */
internal class Turns {
    /**
     * What the mod took of a thread, by the clock and by the thread's processor time. A collector of garbage and a busy machine make the first
     * longer.
     */
    data class Share(val ns: Long, val processorNs: Long) {
        operator fun plus(other: Share) = Share(ns + other.ns, processorNs + other.processorNs)

        operator fun minus(other: Share) = Share(ns - other.ns, processorNs - other.processorNs)

        /** The longer of each. */
        fun max(other: Share) = Share(maxOf(ns, other.ns), maxOf(processorNs, other.processorNs))
    }

    private class Ledger {
        var isMod = false
        var since = now()
        var mod = Share(0, 0)

        /** Gives the turn on. Answers whose it was. */
        fun pass(toMod: Boolean): Boolean {
            val now = now()
            if (isMod) mod += now - since
            since = now
            return isMod.also { isMod = toMod }
        }
    }

    private val ledger = ThreadLocal.withInitial(::Ledger)

    /** What the mod took of this thread in all turns that have ended. */
    val ofMod: Share get() = ledger.get().mod

    /** The mod does [action]. */
    fun <T> mod(action: () -> T): T = turn(true, action)

    /** The game does [action], be it in the midst of the mod's turn. */
    fun <T> game(action: () -> T): T = turn(false, action)

    private inline fun <T> turn(isMod: Boolean, action: () -> T): T {
        val mine = ledger.get()
        val before = mine.pass(isMod)
        try {
            return action()
        } finally {
            mine.pass(before)
        }
    }

    private companion object {
        val threads = ManagementFactory.getThreadMXBean()

        fun now() = Share(System.nanoTime(), threads.currentThreadCpuTime)
    }
}
