package dev.auk.game

/** A server: the object, what may be asked of it, and who is on its lists. */
internal class Server(
    private val things: Things,
    private val texts: Texts,
    private val players: Players,
    private val sources: Sources,
    private val events: FabricEvents,
    private val minecraft: String,
    private val turns: Turns,
) {
    /** The thread of the server that runs. */
    lateinit var thread: ServerThread

    /** The game's object. */
    lateinit var thing: Any

    /** Begins another life. */
    fun begin() {
        thing = things.create("MinecraftServer")
        thread = ServerThread(turns)
    }

    /** Plays the members of the server and of its manager of players. */
    fun play(members: Members) {
        members.on("MinecraftServer.getPlayerManager") { _, _ -> things.create("PlayerManager") }
        members.on("MinecraftServer.getCommandManager") { _, _ -> things.create("CommandManager") }
        members.on("MinecraftServer.getCommandSource") { _, _ -> sources.console() }
        members.on("MinecraftServer.getVersion (QueryableServer)") { _, _ -> minecraft }
        members.on("MinecraftServer.getServerMotd (QueryableServer)") { _, _ -> "A stand-in" }
        members.on("MinecraftServer.getMaxPlayerCount (QueryableServer)") { _, _ -> MAX_PLAYERS }
        members.on("MinecraftServer.execute(Runnable)") { _, (task) -> thread.execute(task as Runnable) }
        members.on("MinecraftServer.getTickTime") { _, _ -> TICK_MS }
        members.on("MinecraftServer.getAverageTickTime") { _, _ -> TICK_MS }
        members.on("MinecraftServer.getAverageNanosPerTick") { _, _ -> (TICK_MS * 1_000_000).toLong() }
        members.on("PlayerManager.getPlayerList") { _, _ -> players.all.map { it.thing } }
        members.on("PlayerManager.getPlayer(UUID)") { _, (uuid) -> players.all.firstOrNull { it.uuid == uuid }?.thing }
        members.on("PlayerManager.getOpNames") { _, _ -> arrayOf("Alex", "Herobrine") }
        members.on("PlayerManager.getWhitelistedNames") { _, _ -> arrayOf("Steve") }
        members.on("PlayerManager.broadcast(Text,boolean)") { _, (text, overlay) -> broadcast(text!!, overlay as Boolean) }
    }

    /** Shows [text] to everybody. Fabric API tells of it, whoever had it shown. */
    fun broadcast(text: Any, overlay: Boolean) {
        events.fire("ServerMessageEvents.GAME_MESSAGE", "ServerMessageEvents.GameMessage.onGameMessage", thing, text, overlay)
        players.all.forEach { players.show(it, text) }
    }

    /** Lets the console or a player run a command that speaks to everybody: `/say` or `/me`, with the [key] of its chat type. */
    fun speak(player: Player?, key: String, text: String) {
        val source = player?.let(sources::player) ?: sources.console()
        val bound = things.create("MessageType.Parameters", KEY, key)
        things.data(bound)[NAME] = sources.of(source).name
        val message = things.create("SignedMessage", TEXT, text)
        events.fire("ServerMessageEvents.COMMAND_MESSAGE", "ServerMessageEvents.CommandMessage.onCommandMessage", message, source, bound)
        if (player != null) chatted(message, player, bound)
    }

    /** Lets a player write in the chat. */
    fun chat(player: Player, text: String) {
        val bound = things.create("MessageType.Parameters", KEY, "chat.type.text")
        things.data(bound)[NAME] = player.name
        chatted(things.create("SignedMessage", TEXT, text), player, bound)
    }

    /** Plays the members of chat messages. */
    fun playChat(members: Members) {
        members.on("SignedMessage.getContent") { self, _ -> texts.literal(things.data(self, TEXT)) }
        members.on("MessageType.Parameters.name") { self, _ -> texts.literal(things.data(self, NAME)) }
        members.on("MessageType.Parameters.applyChatDecoration") { self, (text) ->
            val name: String = things.data(self, NAME)
            texts.translatable(things.data(self, KEY), "$name: ${texts.string(text)}", listOf(texts.literal(name), text!!))
        }
    }

    private fun chatted(message: Any, player: Player, bound: Any) =
        events.fire("ServerMessageEvents.CHAT_MESSAGE", "ServerMessageEvents.ChatMessage.onChatMessage", message, player.thing, bound)

    private companion object {
        const val MAX_PLAYERS = 20
        const val TICK_MS = 12.5f
        const val KEY = "key"
        const val NAME = "name"
        const val TEXT = "text"
    }
}
