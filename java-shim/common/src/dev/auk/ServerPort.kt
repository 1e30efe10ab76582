package dev.auk

/** A player as the border knows one: the shown [name] and the [uuid] in its hyphenated form. */
data class Player(val name: String, val uuid: String)

/**
 * A player who is online: the round trip to the client in [latencyMs], the [dimension] such as `minecraft:overworld`, and the [gameMode]
 * such as `survival`.
 */
data class OnlinePlayer(val player: Player, val latencyMs: Int, val dimension: String, val gameMode: String)

/** What a console command did: the [lines] that it answered with, and whether it was [done]. */
data class CommandOutput(val lines: List<String>, val done: Boolean)

/** How the server keeps up: ticks a second, 20 at most, and the mean milliseconds that one takes. */
data class TickTimes(val perSecond: Double, val meanMs: Double) {
    companion object {
        private const val TICKS_PER_SECOND = 20.0
        private const val MS_PER_SECOND = 1000.0

        /** Those of a server whose ticks take [meanMs] on average: it waits out what is left of 50 ms. */
        fun of(meanMs: Double) = TickTimes(minOf(TICKS_PER_SECOND, MS_PER_SECOND / maxOf(meanMs, 1.0)), meanMs)
    }
}

/** How grave a log line is; the names are those of the border's `log` frame in lower case. */
enum class LogLevel { ERROR, WARN, INFO, DEBUG, TRACE }

/**
 * What Auk asks of a Minecraft server. One implementation per kind of server; nothing else of the shim knows Minecraft.
 *
 * Everything but [execute] and [log] is called on the server thread.
 */
interface ServerPort {
    /** The kind of server, such as `minestom` or `fabric`. */
    val platform: String

    /** The Minecraft version that clients join with, such as `26.1`. Any thread. */
    val minecraft: String

    /** The line that the server shows in a client's list of servers. */
    val motd: String

    /** How many players may be online at once. */
    val maxPlayers: Int

    /** The players who are online. */
    fun players(): List<OnlinePlayer>

    /** Shows one line of plain text to every player. */
    fun broadcast(text: String)

    /** Shows one line of plain text to the player with this [uuid]. Answers whether there is one. */
    fun tell(uuid: String, text: String): Boolean

    /** Sends the player with this [uuid] away, with a [reason] to read. Answers whether there is one. */
    fun disconnect(uuid: String, reason: String): Boolean

    /** Runs a command, without its slash, as the console would: at level 4, with its answers kept instead of shown to operators. */
    fun runCommand(command: String): CommandOutput

    /** How the server keeps up at this moment. */
    fun tickTimes(): TickTimes

    /** Whether the player of this name, in any case of its letters, is an operator. */
    fun isOperator(name: String): Boolean

    /** Whether the player of this name, in any case of its letters, is on the whitelist, whether or not the list is in use. */
    fun isWhitelisted(name: String): Boolean

    /** Runs [task] on the server thread, soon, in the order of the calls. Called on any thread; never waits for the task. */
    fun execute(task: Runnable)

    /** Writes one line to the server's log. Called on any thread. */
    fun log(level: LogLevel, logger: String, text: String)
}
