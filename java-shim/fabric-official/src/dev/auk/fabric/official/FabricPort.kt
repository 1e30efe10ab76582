package dev.auk.fabric.official

import dev.auk.CommandOutput
import dev.auk.LogLevel
import dev.auk.OnlinePlayer
import dev.auk.Player
import dev.auk.ServerPort
import dev.auk.TickTimes
import dev.auk.fabric.ServerLog
import java.util.UUID
import net.minecraft.commands.CommandResultCallback
import net.minecraft.network.chat.Component
import net.minecraft.server.MinecraftServer
import net.minecraft.server.level.ServerPlayer

/** A server of Minecraft 26.1 and later as Auk sees it. */
internal class FabricPort(private val server: MinecraftServer) : ServerPort {
    override val platform = "fabric"
    override val minecraft: String = server.getServerVersion()
    override val motd: String get() = server.getMotd().orEmpty()
    override val maxPlayers: Int get() = server.getMaxPlayers()

    override fun players(): List<OnlinePlayer> = server.onlinePlayers().map { player ->
        val dimension = player.level().dimension().identifier().toString()
        OnlinePlayer(player.toPlayer(), player.connection.latency(), dimension, player.gameMode.getGameModeForPlayer().getName())
    }

    override fun broadcast(text: String) = server.getPlayerList().broadcastSystemMessage(Component.literal(text), false)

    override fun tell(uuid: String, text: String): Boolean = find(uuid)?.sendSystemMessage(Component.literal(text)) != null

    override fun disconnect(uuid: String, reason: String): Boolean = find(uuid)?.connection?.disconnect(Component.literal(reason)) != null

    override fun runCommand(command: String): CommandOutput {
        val output = CapturedOutput()
        var succeeded = false
        // A command that cannot be read never calls back.
        val callback = CommandResultCallback { success, _ -> succeeded = success }
        val source = server.createCommandSourceStack().withSource(output).withCallback(callback)
        server.getCommands().performPrefixedCommand(source, command)
        return CommandOutput(output.lines, succeeded)
    }

    override fun tickTimes(): TickTimes = TickTimes.of(server.getAverageTickTimeNanos() / NANOS_PER_MS)

    override fun isOperator(name: String): Boolean = server.getPlayerList().getOpNames().any { it.equals(name, ignoreCase = true) }

    override fun isWhitelisted(name: String): Boolean = server.getPlayerList().getWhiteListNames().any { it.equals(name, ignoreCase = true) }

    override fun execute(task: Runnable) = server.execute(task)

    override fun log(level: LogLevel, logger: String, text: String) = ServerLog.write(level, logger, text)

    private fun find(uuid: String): ServerPlayer? = runCatching { UUID.fromString(uuid) }.getOrNull()?.let(server.getPlayerList()::getPlayer)

    private companion object {
        const val NANOS_PER_MS = 1e6
    }
}

/** Everybody online. */
@Suppress("UNCHECKED_CAST")
internal fun MinecraftServer.onlinePlayers(): List<ServerPlayer> = getPlayerList().getPlayers() as List<ServerPlayer>

/** A player as the border knows one. */
internal fun ServerPlayer.toPlayer() = Player(getName().getString(), getUUID().toString())
