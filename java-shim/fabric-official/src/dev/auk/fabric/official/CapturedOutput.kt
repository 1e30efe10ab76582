package dev.auk.fabric.official

import net.minecraft.commands.CommandSource
import net.minecraft.network.chat.Component

/** Keeps what a command says. Neither operators nor the server's log hear of it. */
internal class CapturedOutput : CommandSource {
    /** The lines so far. */
    val lines = mutableListOf<String>()

    override fun sendSystemMessage(message: Component) {
        lines += message.getString()
    }

    override fun acceptsSuccess() = true

    override fun acceptsFailure() = true

    override fun shouldInformAdmins() = false
}
