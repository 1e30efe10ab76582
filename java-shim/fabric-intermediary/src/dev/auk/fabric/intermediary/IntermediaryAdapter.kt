package dev.auk.fabric.intermediary

import dev.auk.fabric.Adapter
import dev.auk.fabric.CommandNodes
import dev.auk.fabric.GameEvents
import dev.auk.fabric.MinecraftRelease

/** Minecraft 1.20.1 to 1.21.11, whose members have intermediary names. */
class IntermediaryAdapter : Adapter {
    override val namespace = "intermediary"

    override fun listen(events: GameEvents, commands: CommandNodes, minecraft: MinecraftRelease) =
        Listeners(events, commands, Variants.of(minecraft)).register()
}
