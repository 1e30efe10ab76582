package dev.auk

/**
 * A text of the game: the [text] as an English client reads it and, where the game translates it, its [key] such as
 * `death.attack.mob` with the [args] that go into it.
 */
data class GameText(val text: String, val key: String? = null, val args: List<GameText> = emptyList())
