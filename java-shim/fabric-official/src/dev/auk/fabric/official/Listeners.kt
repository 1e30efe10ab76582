package dev.auk.fabric.official

import dev.auk.Player
import dev.auk.fabric.CommandNodes
import dev.auk.fabric.GameEvents
import net.fabricmc.fabric.api.command.v2.CommandRegistrationCallback
import net.fabricmc.fabric.api.event.lifecycle.v1.ServerLifecycleEvents
import net.fabricmc.fabric.api.message.v1.ServerMessageEvents
import net.fabricmc.fabric.api.networking.v1.ServerPlayConnectionEvents
import net.minecraft.commands.CommandSourceStack
import net.minecraft.server.MinecraftServer

/** Fabric API's events, translated for [events]. No mixins: what Fabric API does not tell, Auk does not need. */
internal class Listeners(private val events: GameEvents, private val commands: CommandNodes) {
    /** Registers all of them. They stay for the JVM's life, as Fabric knows no other way. */
    fun register() {
        registerLifecycle()
        registerPlayers()
        registerMessages()
        CommandRegistrationCallback.EVENT.register(
            CommandRegistrationCallback { dispatcher, _, _ ->
                val hasLevel = { source: Any, level: Int -> (source as CommandSourceStack).hasLevel(level) }
                dispatcher.register(commands.root(hasLevel) { SourceCaller(it as CommandSourceStack) })
            },
        )
    }

    private fun registerLifecycle() {
        ServerLifecycleEvents.SERVER_STARTING.register(ServerLifecycleEvents.ServerStarting { server -> events.starting(FabricPort(server)) })
        ServerLifecycleEvents.SERVER_STARTED.register(ServerLifecycleEvents.ServerStarted { _ -> events.started() })
        ServerLifecycleEvents.SERVER_STOPPING.register(ServerLifecycleEvents.ServerStopping { _ -> events.stopping() })
        ServerLifecycleEvents.SERVER_STOPPED.register(ServerLifecycleEvents.ServerStopped { _ -> events.stopped() })
    }

    /** The end of a connection is told on a network thread, so nothing here does more than copy and hand on. */
    private fun registerPlayers() {
        ServerPlayConnectionEvents.JOIN.register(
            ServerPlayConnectionEvents.Join { handler, _, _ -> events.join(handler.player.toPlayer()) },
        )
        ServerPlayConnectionEvents.DISCONNECT.register(
            ServerPlayConnectionEvents.Disconnect { handler, _ -> events.leave(handler.player.toPlayer()) },
        )
    }

    private fun registerMessages() {
        ServerMessageEvents.CHAT_MESSAGE.register(
            ServerMessageEvents.ChatMessage { message, sender, _ ->
                events.chat(message, sender.toPlayer(), message.decoratedContent().getString())
            },
        )
        ServerMessageEvents.COMMAND_MESSAGE.register(
            ServerMessageEvents.CommandMessage { message, _, bound ->
                val content = message.decoratedContent()
                events.commandMessage(message, bound.decorate(content).toGameText().key, bound.name().getString(), content.getString())
            },
        )
        ServerMessageEvents.GAME_MESSAGE.register(
            ServerMessageEvents.GameMessage { server, text, isOverlay ->
                if (!isOverlay) events.gameMessage(text.toGameText()) { name -> playerShownAs(server, name) }
            },
        )
    }

    /** The game names players in its messages as their team shows them. */
    private fun playerShownAs(server: MinecraftServer, name: String): Player? =
        server.onlinePlayers().firstOrNull { it.getDisplayName().getString() == name }?.toPlayer()
}
