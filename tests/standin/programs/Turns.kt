package dev.auk.game

/** Whose turn it is on each thread, the mod's or the game's, so that what the stand-in takes is not taken for the mod's. */
internal class Turns {
    private class Ledger {
        var isMod = false
        var since = System.nanoTime()
        var modNs = 0L

        /** Gives the turn on. Answers whose it was. */
        fun pass(toMod: Boolean): Boolean {
            val now = System.nanoTime()
            if (isMod) modNs += now - since
            since = now
            return isMod.also { isMod = toMod }
        }
    }

    private val ledger = ThreadLocal.withInitial(::Ledger)

    /** The time that the mod took of this thread in all turns that have ended, in nanoseconds. */
    val modNs: Long get() = ledger.get().modNs

    /** The mod does [action]. */
    fun <T> mod(action: () -> T): T = turn(true, action)

    /** The game does [action], be it in the midst of the mod's turn. */
    fun <T> game(action: () -> T): T = turn(false, action)

    private inline fun <T> turn(ofMod: Boolean, action: () -> T): T {
        val mine = ledger.get()
        val before = mine.pass(ofMod)
        try {
            return action()
        } finally {
            mine.pass(before)
        }
    }
}
