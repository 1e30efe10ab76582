package dev.auk.minestom

import net.minestom.server.MinecraftServer
import net.minestom.server.event.GlobalEventHandler
import net.minestom.server.event.player.AsyncPlayerConfigurationEvent
import net.minestom.server.event.player.AsyncPlayerPreLoginEvent
import net.minestom.server.network.player.PlayerSocketConnection
import net.minestom.server.registry.Registries

/**
 * Lets in clients that answer early. Twice in a join Minestom sends a packet and only then prepares for the client's answer; when the
 * sending thread loses its processor in between, the answer comes first and is lost. These listeners leave nothing to prepare.
 */
internal object EarlyAnswers {
    /** Adds the listeners. */
    fun expect(events: GlobalEventHandler) {
        events.addListener(AsyncPlayerPreLoginEvent::class.java, ::setProfile)
        events.addListener(AsyncPlayerConfigurationEvent::class.java, ::sendRegistries)
    }

    /** Minestom sets the profile after it has announced the login's success, and throws out a client that acknowledges before that. */
    private fun setProfile(event: AsyncPlayerPreLoginEvent) {
        (event.connection as? PlayerSocketConnection)?.UNSAFE_setProfile(event.gameProfile)
    }

    /**
     * Minestom asks which data packs the client has, and only then makes the future that the answer completes. An answer that finds none
     * is dropped, and the client stays in configuration for the five minutes that the server waits. All that the answer is for is to leave
     * out what the client has already; so everything is sent, without waiting.
     */
    private fun sendRegistries(event: AsyncPlayerConfigurationEvent) {
        event.setSendRegistryData(false)
        event.player.sendPackets(Registries.registryDataPackets(MinecraftServer.process(), false))
        MinecraftServer.getConnectionManager().sendRegistryTags(event.player)
    }
}
