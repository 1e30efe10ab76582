package dev.auk.game

import java.lang.management.ManagementFactory

/** Whose turn it is on each thread, the mod's or the game's, so that what the stand-in takes is not taken for the mod's. */
internal class Turns {
    private class Ledger {
        var isMod = false
        var since = now()
        var mod = Span(0, 0)

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
    val ofMod: Span get() = ledger.get().mod

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

        fun now() = Span(System.nanoTime(), threads.currentThreadCpuTime)
    }
}
