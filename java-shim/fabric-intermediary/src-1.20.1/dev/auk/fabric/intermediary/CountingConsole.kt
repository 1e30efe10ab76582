package dev.auk.fabric.intermediary

import net.minecraft.class_2168
import net.minecraft.server.MinecraftServer

/**
 * 1.20.1 and 1.20.2: a command answers with the number of its successes. It is compiled against 1.20.1 alone, because later versions have
 * the same method with nothing to answer.
 */
internal object CountingConsole : Console {
    override fun run(server: MinecraftServer, source: class_2168, command: String): Boolean =
        server.method_3734().method_44252(source, command) > 0

    override fun meanTickMs(server: MinecraftServer): Double = server.method_3830().toDouble()
}
