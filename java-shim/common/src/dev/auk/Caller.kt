package dev.auk

/** Whoever typed a command: a player, the console, a command block. */
interface Caller {
    /** The name that the game shows for it. */
    val name: String

    /** Shows [lines] to this caller alone, as an error when the command [failed]. Called on the server thread, at most once. */
    fun answer(lines: List<String>, failed: Boolean)
}
