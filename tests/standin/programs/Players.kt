package dev.auk.game

import java.util.UUID
import java.util.concurrent.CopyOnWriteArrayList

/** A player with the operator [level], 0 for none, and the round trip [latencyMs]. */
internal class Player(val name: String, val uuid: UUID, val level: Int, val latencyMs: Int) {
    /** The game's object. */
    lateinit var thing: Any

    /** The game's object for the connection. */
    lateinit var connection: Any
}

/** Who is online, and what their clients see. */
internal class Players(private val things: Things, private val texts: Texts, private val report: Report) {
    private val online = CopyOnWriteArrayList<Player>()

    /** Everybody online. */
    val all: List<Player> get() = online

    /** The player of this [name]. */
    fun named(name: String): Player = online.single { it.name == name }

    /** Makes the game's objects for [player], who is not on the list yet. */
    fun connect(player: Player) {
        player.thing = things.create("ServerPlayerEntity", PLAYER, player)
        player.connection = things.create("ServerPlayNetworkHandler", PLAYER, player)
        check(things.set(player.thing, "ServerPlayerEntity.networkHandler", player.connection))
        check(things.set(player.connection, "ServerPlayNetworkHandler.player", player.thing))
        // A field in the oldest version, a method of the connection since.
        things.set(player.thing, "ServerPlayerEntity.pingMilliseconds", player.latencyMs)
    }

    /** Puts [player] on the list. */
    fun add(player: Player) {
        online += player
    }

    /** Takes [player] off the list. */
    fun remove(player: Player) {
        online -= player
    }

    /** The client of [player] shows [text]. */
    fun show(player: Player, text: Any?) = report.event("client") {
        addProperty("player", player.name)
        addProperty("text", texts.string(text))
    }

    /** The player behind an object of the game. */
    fun of(thing: Any?): Player = things.data(thing, PLAYER)

    /** Plays the members of players and of their connections. */
    fun play(members: Members) {
        members.field("ServerPlayerEntity.interactionManager") { things.create("ServerPlayerInteractionManager") }
        members.on("Entity.getUuid") { self, _ -> of(self).uuid }
        members.on("Entity.getName") { self, _ -> texts.literal(of(self).name) }
        members.on("Entity.getDisplayName") { self, _ -> texts.literal(shownName(of(self))) }
        members.on("ServerPlayerEntity.sendMessage(Text)") { self, (text) -> show(of(self), text) }
        members.on("ServerPlayerEntity.sendMessageToClient(Text,boolean)") { self, (text) -> show(of(self), text) }
        members.on("ServerPlayerEntity.getServerWorld") { _, _ -> things.create("ServerWorld") }
        members.on("World.getRegistryKey") { _, _ -> things.create("RegistryKey") }
        members.on("RegistryKey.getValue") { _, _ -> things.create("Identifier") }
        members.on("Identifier.toString") { _, _ -> "minecraft:the_nether" }
        members.on("ServerPlayerInteractionManager.getGameMode") { _, _ -> things.create("GameMode") }
        members.on("GameMode.getName") { _, _ -> "adventure" }
        members.on("ServerCommonNetworkHandler.getLatency") { self, _ -> of(self).latencyMs }
        for (what in listOf("ServerPlayNetworkHandler.disconnect(Text)", "ServerCommonNetworkHandler.disconnect(Text)")) {
            members.on(what) { self, (reason) -> disconnect(of(self), reason) }
        }
    }

    private fun disconnect(player: Player, reason: Any?) {
        remove(player)
        report.event("disconnected") {
            addProperty("player", player.name)
            addProperty("reason", texts.string(reason))
        }
    }

    companion object {
        private const val PLAYER = "player"

        /** How the game's own messages name a player: as the team does that all are in. */
        fun shownName(player: Player) = "[T] ${player.name}"
    }
}
