package dev.auk

/** A player as the border knows one: the shown [name] and the [uuid] in its hyphenated form. */
data class Player(val name: String, val uuid: String)

/** How grave a log line is; the names are those of the border's `log` frame in lower case. */
enum class LogLevel { ERROR, WARN, INFO, DEBUG, TRACE }

/** What Auk asks of a Minecraft server. One implementation per kind of server; nothing else of the shim knows Minecraft. */
interface ServerPort {
    /** The kind of server, such as `minestom` or `fabric`. */
    val platform: String

    /** The Minecraft version that clients join with, such as `26.1`. */
    val minecraft: String

    /** How many players may be online at once. */
    val maxPlayers: Int

    /** The players who are online. Called on the server thread. */
    fun players(): List<Player>

    /** Shows one line of plain text to every player. Called on the server thread. */
    fun broadcast(text: String)

    /** Runs [task] on the server thread, soon, in the order of the calls. Called on any thread; never waits for the task. */
    fun execute(task: Runnable)

    /** Writes one line to the server's log. Called on any thread. */
    fun log(level: LogLevel, logger: String, text: String)
}
