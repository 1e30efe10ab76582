package dev.auk.fabric.official

import dev.auk.Caller
import java.util.function.Supplier
import net.minecraft.commands.CommandSourceStack
import net.minecraft.network.chat.Component

/** The game's source of a command as a caller. */
internal class SourceCaller(private val source: CommandSourceStack) : Caller {
    override val name: String get() = source.getTextName()

    override fun answer(lines: List<String>, failed: Boolean) = lines.forEach { line ->
        if (failed) source.sendFailure(Component.literal(line)) else source.sendSuccess(Supplier { Component.literal(line) }, false)
    }
}
