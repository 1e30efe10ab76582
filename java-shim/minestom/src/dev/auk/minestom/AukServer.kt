package dev.auk.minestom

import dev.auk.Bridge
import dev.auk.CommandTree
import dev.auk.Player
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.file.Path
import net.kyori.adventure.text.Component
import net.kyori.adventure.text.format.NamedTextColor
import net.minestom.server.Auth
import net.minestom.server.MinecraftServer
import net.minestom.server.adventure.audience.Audiences
import net.minestom.server.coordinate.Pos
import net.minestom.server.entity.GameMode
import net.minestom.server.event.player.AsyncPlayerConfigurationEvent
import net.minestom.server.event.player.PlayerChatEvent
import net.minestom.server.event.player.PlayerDisconnectEvent
import net.minestom.server.event.player.PlayerSpawnEvent
import net.minestom.server.instance.InstanceContainer
import net.minestom.server.instance.block.Block
import org.slf4j.LoggerFactory

/** A flat world in offline mode on the loopback address, with chat, join and leave lines as a vanilla server shows them. */
internal class AukServer private constructor(private val server: MinecraftServer, configDir: Path) {
    /** The bridge in this server. */
    val bridge = Bridge(MinestomPort().apply(MinestomPort::watchTicks), configDir, Path.of(""))

    /** The port that clients join at. */
    val port: Int
        get() = MinecraftServer.getServer().port

    private fun listenForPlayers(world: InstanceContainer, operators: Set<String>) {
        val events = MinecraftServer.getGlobalEventHandler()
        EarlyAnswers.expect(events)
        events.addListener(AsyncPlayerConfigurationEvent::class.java) { event ->
            event.spawningInstance = world
            event.player.respawnPoint = SPAWN
        }
        events.addListener(PlayerSpawnEvent::class.java) { event ->
            if (event.isFirstSpawn) {
                event.player.gameMode = GameMode.CREATIVE
                if (event.player.username in operators) promote(event.player)
                announce("${event.player.username} joined the game")
                bridge.join(player(event.player))
            }
        }
        events.addListener(PlayerDisconnectEvent::class.java) { event ->
            announce("${event.player.username} left the game")
            bridge.leave(player(event.player))
        }
        events.addListener(PlayerChatEvent::class.java) { event ->
            event.formattedMessage = Component.text("<${event.player.username}> ${event.rawMessage}")
            bridge.chat(player(event.player), event.rawMessage)
        }
    }

    /** Minestom runs shutdown tasks before anything else of its end, on SIGTERM and SIGINT too. */
    private fun closeBridgeFirst() = MinecraftServer.getSchedulerManager().buildShutdownTask {
        bridge.stopping()
        bridge.stopped()
    }

    private fun open(port: Int) {
        bridge.open()
        // Minestom hands the failure to its exception manager and then throws it again, wrapped; said once is enough.
        MinecraftServer.getExceptionManager().setExceptionHandler { if (it !is IOException) logger.error("Minestom failed", it) }
        try {
            server.start(InetSocketAddress("127.0.0.1", port))
        } catch (e: RuntimeException) {
            bridge.stopped()
            throw e.cause as? IOException ?: e
        }
        bridge.started()
    }

    companion object {
        /** The version that a client names when it joins; Minestom's own name has a patch number that no client knows. */
        const val MINECRAFT = "26.1"

        private val SPAWN = Pos(0.5, 41.0, 0.5)
        private const val GROUND = 40
        private val logger = LoggerFactory.getLogger(AukServer::class.java)

        /** Starts a server. An [IOException] says that the port cannot be had; the bridge is closed then. */
        fun start(options: Options): AukServer {
            val auk = AukServer(MinecraftServer.init(Auth.Offline()), options.configDir)
            val world = MinecraftServer.getInstanceManager().createInstanceContainer()
            world.setGenerator { unit -> unit.modifier().fillHeight(0, GROUND, Block.GRASS_BLOCK) }
            auk.listenForPlayers(world, options.operators)
            MinecraftServer.getCommandManager().register(AukCommand(auk.bridge, CommandTree.read()))
            auk.closeBridgeFirst()
            auk.open(options.port)
            return auk
        }

        /** What a vanilla server writes in yellow. */
        private fun announce(text: String) = Audiences.players().sendMessage(Component.text(text, NamedTextColor.YELLOW))

        /** Level 4 is an operator's; the client is told of the commands that it may use by now. */
        private fun promote(player: net.minestom.server.entity.Player) {
            player.permissionLevel = 4
            player.refreshCommands()
        }

        private fun player(player: net.minestom.server.entity.Player) = Player(player.username, player.uuid.toString())
    }
}
