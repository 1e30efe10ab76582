package dev.auk.fabric.official

import dev.auk.fabric.Adapter
import dev.auk.fabric.CommandNodes
import dev.auk.fabric.GameEvents
import dev.auk.fabric.MinecraftRelease

/** Minecraft 26.1 and later, whose members have the names that Mojang gave them. Nothing that Auk touches has moved since. */
class OfficialAdapter : Adapter {
    override val namespace = "official"

    override fun listen(events: GameEvents, commands: CommandNodes, minecraft: MinecraftRelease) = Listeners(events, commands).register()
}
