package dev.auk

/** A frame for the native part. */
internal sealed interface FrameToNative {
    /** The server takes players. */
    data object ServerStarted : FrameToNative

    /** The server is about to stop. */
    data object ServerStopping : FrameToNative

    /** A player wrote [text] in the chat. */
    data class Chat(val player: Player, val text: String) : FrameToNative

    /** Somebody, who need not be a player, said [text] to everyone with `/say`. */
    data class Announcement(val name: String, val text: String) : FrameToNative

    /** Somebody, who need not be a player, told with `/me` what they do. */
    data class Emote(val name: String, val text: String) : FrameToNative

    /** Somebody died, and the game said so. */
    data class Death(val player: Player?, val message: GameText) : FrameToNative

    /** Somebody made an advancement, and the game said so. */
    data class Advancement(val player: Player?, val message: GameText) : FrameToNative

    /** [caller] typed `/auk` [name]; [FrameToJava.Reply] with the same [request] answers it. */
    data class Command(val request: Long, val caller: String, val name: String, val argument: String?) : FrameToNative

    /** A player came. */
    data class Join(val player: Player) : FrameToNative

    /** A player went. */
    data class Leave(val player: Player) : FrameToNative

    /** The answer to [FrameToJava.ListPlayers] with the same [request]. */
    data class Players(val request: Long, val online: List<Player>, val max: Int) : FrameToNative
}

/** A frame from the native part. */
internal sealed interface FrameToJava {
    /** One line for every player. */
    data class Say(val text: String) : FrameToJava

    /** Asks who is online. */
    data class ListPlayers(val request: Long) : FrameToJava

    /** The answer to [FrameToNative.Command]. */
    data class Reply(val request: Long, val lines: List<String>, val failed: Boolean) : FrameToJava

    /** A line for the server's log. */
    data class Log(val level: LogLevel, val logger: String, val text: String) : FrameToJava

    /** The last frame. */
    data object End : FrameToJava

    /** A kind that this shim does not know. */
    data class Unknown(val type: String) : FrameToJava

    /** Bytes that are no frame, or a known kind without its fields. */
    data class Unreadable(val problem: String) : FrameToJava
}
