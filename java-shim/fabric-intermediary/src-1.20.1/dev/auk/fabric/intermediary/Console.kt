package dev.auk.fabric.intermediary

import net.minecraft.class_2168
import net.minecraft.server.MinecraftServer

/** Running commands, and how long ticks take. 1.20.3 made both what they are now. */
internal interface Console {
    /** Runs [command] as [source] and answers whether it succeeded. Server thread. */
    fun run(server: MinecraftServer, source: class_2168, command: String): Boolean

    /** The mean milliseconds of a tick. */
    fun meanTickMs(server: MinecraftServer): Double
}
