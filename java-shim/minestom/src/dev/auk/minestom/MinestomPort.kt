package dev.auk.minestom

import dev.auk.CommandOutput
import dev.auk.LogLevel
import dev.auk.OnlinePlayer
import dev.auk.Player
import dev.auk.ServerPort
import dev.auk.TickTimes
import java.util.UUID
import java.util.concurrent.Executors
import net.kyori.adventure.identity.Identity
import net.kyori.adventure.text.Component
import net.kyori.adventure.text.serializer.plain.PlainTextComponentSerializer
import net.minestom.server.MinecraftServer
import net.minestom.server.adventure.audience.Audiences
import net.minestom.server.command.CommandSender
import net.minestom.server.command.builder.CommandResult
import net.minestom.server.event.server.ServerTickMonitorEvent
import net.minestom.server.tag.TagHandler
import org.slf4j.LoggerFactory
import org.slf4j.event.Level

/** Minestom as Auk sees it. */
internal class MinestomPort : ServerPort {
    /**
     * Stands for the server thread of a vanilla server, which runs such tasks as soon as it is idle. Minestom has none: its chat and its
     * players may be used from every thread, and its scheduler would hold a task back until the next tick.
     */
    private val serverThread = Executors.newSingleThreadExecutor { task -> Thread(task, "auk tasks").apply { isDaemon = true } }

    @Volatile
    private var meanTickMs = 0.0

    override val platform = "minestom"
    override val minecraft = AukServer.MINECRAFT
    override val motd = "Auk"

    /** Minestom sets no limit; this is what a fresh vanilla server has. */
    override val maxPlayers = 20

    /** Begins to measure how long ticks take. Called once the server exists. */
    fun watchTicks() {
        MinecraftServer.getGlobalEventHandler().addListener(ServerTickMonitorEvent::class.java) { event ->
            meanTickMs += (event.tickMonitor.tickTime - meanTickMs) / TICKS_IN_MEAN
        }
    }

    override fun players(): List<OnlinePlayer> = MinecraftServer.getConnectionManager().onlinePlayers.map { player ->
        OnlinePlayer(
            Player(player.username, player.uuid.toString()),
            player.latency,
            player.instance?.dimensionName ?: "minecraft:overworld",
            player.gameMode.name.lowercase(),
        )
    }

    override fun broadcast(text: String) = Audiences.players().sendMessage(Component.text(text))

    override fun tell(uuid: String, text: String): Boolean = find(uuid)?.sendMessage(Component.text(text)) != null

    override fun disconnect(uuid: String, reason: String): Boolean = find(uuid)?.kick(Component.text(reason)) != null

    override fun runCommand(command: String): CommandOutput {
        val console = Console()
        val result = MinecraftServer.getCommandManager().execute(console, command)
        return CommandOutput(console.lines, result.type == CommandResult.Type.SUCCESS)
    }

    override fun tickTimes() = TickTimes.of(meanTickMs)

    /** Minestom keeps no list of operators; a permission level of 4 is what makes one. */
    override fun isOperator(name: String): Boolean =
        MinecraftServer.getConnectionManager().onlinePlayers.any { it.username.equals(name, ignoreCase = true) && it.permissionLevel >= 4 }

    /** Minestom has no whitelist. */
    override fun isWhitelisted(name: String) = false

    override fun execute(task: Runnable) = serverThread.execute(task)

    override fun log(level: LogLevel, logger: String, text: String) =
        LoggerFactory.getLogger("auk.$logger").atLevel(Level.valueOf(level.name)).log(text)

    private fun find(uuid: String): net.minestom.server.entity.Player? =
        runCatching { UUID.fromString(uuid) }.getOrNull()?.let(MinecraftServer.getConnectionManager()::getOnlinePlayerByUuid)

    /** A sender that keeps what it is told. */
    private class Console : CommandSender {
        val lines = mutableListOf<String>()
        private val tags = TagHandler.newHandler()

        override fun tagHandler(): TagHandler = tags

        override fun identity(): Identity = Identity.nil()

        override fun sendMessage(message: Component) {
            lines += PlainTextComponentSerializer.plainText().serialize(message)
        }
    }

    private companion object {
        /** As vanilla's own mean, which runs over a hundred ticks. */
        const val TICKS_IN_MEAN = 100
    }
}
