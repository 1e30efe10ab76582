package dev.auk.fabric.intermediary

import dev.auk.CommandOutput
import dev.auk.LogLevel
import dev.auk.OnlinePlayer
import dev.auk.Player
import dev.auk.ServerPort
import dev.auk.TickTimes
import dev.auk.fabric.ServerLog
import java.util.UUID
import net.minecraft.server.MinecraftServer

/** A server of Minecraft 1.20.1 to 1.21.11 as Auk sees it. */
internal class FabricPort(private val server: MinecraftServer, private val variants: Variants) : ServerPort {
    override val platform = "fabric"
    override val minecraft: String = server.version
    override val motd: String get() = server.serverMotd.orEmpty()
    override val maxPlayers: Int get() = server.maxPlayerCount

    override fun players(): List<OnlinePlayer> = server.playerManager.playerList.map { player ->
        OnlinePlayer(player.toPlayer(), variants.connections.latencyMs(player), player.dimension, player.gameMode)
    }

    override fun broadcast(text: String) = server.playerManager.broadcast(literal(text))

    override fun tell(uuid: String, text: String): Boolean = find(uuid)?.sendMessageToClient(literal(text)) != null

    override fun disconnect(uuid: String, reason: String): Boolean =
        find(uuid)?.let { variants.connections.disconnect(it, literal(reason)) } != null

    override fun runCommand(command: String): CommandOutput {
        val output = CapturedOutput()
        val done = variants.console.run(server, server.commandSource.withOutput(output), command)
        return CommandOutput(output.lines, done)
    }

    override fun tickTimes(): TickTimes = TickTimes.of(variants.console.meanTickMs(server))

    override fun isOperator(name: String): Boolean = server.playerManager.opNames.any { it.equals(name, ignoreCase = true) }

    override fun isWhitelisted(name: String): Boolean = server.playerManager.whitelistedNames.any { it.equals(name, ignoreCase = true) }

    override fun execute(task: Runnable) = server.execute(task)

    override fun log(level: LogLevel, logger: String, text: String) = ServerLog.write(level, logger, text)

    private fun find(uuid: String): ServerPlayerEntity? =
        runCatching { UUID.fromString(uuid) }.getOrNull()?.let(server.playerManager::getPlayer)
}

/** A player as the border knows one. The profile's own name: its accessor moved in 1.21.9, the entity's did not. */
internal fun ServerPlayerEntity.toPlayer() = Player(name.getString(), uuid.toString())
