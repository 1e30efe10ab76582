package dev.auk.fabric.intermediary

import net.minecraft.class_8935
import net.minecraft.server.MinecraftServer

/** 1.20.3 and later: a callback tells how a command ended. One that cannot be read never calls it. */
internal object CallbackConsole : Console {
    override fun run(server: MinecraftServer, source: ServerCommandSource, command: String): Boolean {
        var succeeded = false
        server.commandManager.method_44252(source.method_9231(class_8935 { success, _ -> succeeded = success }), command)
        return succeeded
    }

    override fun meanTickMs(server: MinecraftServer): Double = server.method_54832().toDouble()
}
