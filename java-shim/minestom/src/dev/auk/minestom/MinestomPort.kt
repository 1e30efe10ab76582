package dev.auk.minestom

import dev.auk.LogLevel
import dev.auk.Player
import dev.auk.ServerPort
import java.util.concurrent.Executors
import net.kyori.adventure.text.Component
import net.minestom.server.MinecraftServer
import net.minestom.server.adventure.audience.Audiences
import org.slf4j.LoggerFactory
import org.slf4j.event.Level

/** Minestom as Auk sees it. */
internal class MinestomPort : ServerPort {
    /**
     * Stands for the server thread of a vanilla server, which runs such tasks as soon as it is idle. Minestom has none: its chat and its
     * players may be used from every thread, and its scheduler would hold a task back until the next tick.
     */
    private val serverThread = Executors.newSingleThreadExecutor { task -> Thread(task, "auk tasks").apply { isDaemon = true } }

    override val platform = "minestom"
    override val minecraft = AukServer.MINECRAFT

    /** Minestom sets no limit; this is what a fresh vanilla server has. */
    override val maxPlayers = 20

    override fun players(): List<Player> =
        MinecraftServer.getConnectionManager().onlinePlayers.map { Player(it.username, it.uuid.toString()) }

    override fun broadcast(text: String) = Audiences.players().sendMessage(Component.text(text))

    override fun execute(task: Runnable) = serverThread.execute(task)

    override fun log(level: LogLevel, logger: String, text: String) =
        LoggerFactory.getLogger("auk.$logger").atLevel(Level.valueOf(level.name)).log(text)
}
