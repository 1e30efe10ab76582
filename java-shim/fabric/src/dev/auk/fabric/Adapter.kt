package dev.auk.fabric

/**
 * What a nested mod gives to the outer one: the game in one way of naming its members. Its class must not mention Minecraft in any
 * signature, so that it can be loaded and asked under names that it was not made for.
 */
interface Adapter {
    /** The names that it was compiled for, as Fabric Loader calls them: `intermediary` or `official`. */
    val namespace: String

    /** Registers listeners and commands with Fabric API. They report to [events] from the first server's start on. */
    fun listen(events: GameEvents, commands: CommandNodes, minecraft: MinecraftRelease)
}
