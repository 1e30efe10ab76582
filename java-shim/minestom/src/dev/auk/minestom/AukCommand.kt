package dev.auk.minestom

import dev.auk.Bridge
import dev.auk.Caller
import dev.auk.CommandTree
import net.kyori.adventure.text.Component
import net.kyori.adventure.text.format.NamedTextColor
import net.minestom.server.command.CommandSender
import net.minestom.server.command.builder.Command
import net.minestom.server.command.builder.arguments.ArgumentType
import net.minestom.server.entity.Player

/** The commands of [tree] in Minestom, each for players of its level; whoever is no player may do everything. */
internal class AukCommand(private val bridge: Bridge, tree: CommandTree) : Command(tree.root) {
    init {
        tree.commands.forEach { addSubcommand(Subcommand(it)) }
        val lowest = tree.commands.minOf { it.level }
        setCondition { sender, typed -> typed != null || mayUse(sender, lowest) }
        setDefaultExecutor { sender, _ -> refuse(sender) }
    }

    private inner class Subcommand(private val command: CommandTree.Command) : Command(command.name) {
        init {
            // Without a text it is asked what to send to a client as the tree; what is typed all the same is refused with words.
            setCondition { sender, typed -> typed != null || mayUse(sender, command.level) }
            setDefaultExecutor { sender, _ -> run(sender, null) }
            command.argument?.let { name ->
                val rest = ArgumentType.StringArray(name)
                addSyntax({ sender, context -> run(sender, context.get(rest).joinToString(" ")) }, rest)
            }
        }

        private fun run(sender: CommandSender, argument: String?) =
            if (mayUse(sender, command.level)) bridge.command(command.name, argument, SenderCaller(sender)) else refuse(sender)
    }

    private class SenderCaller(private val sender: CommandSender) : Caller {
        override val name: String = (sender as? Player)?.username ?: "Server"

        override fun answer(lines: List<String>, failed: Boolean) {
            val color = if (failed) NamedTextColor.RED else NamedTextColor.WHITE
            lines.forEach { sender.sendMessage(Component.text(it, color)) }
        }
    }

    private companion object {
        fun mayUse(sender: CommandSender, level: Int) = sender !is Player || sender.permissionLevel >= level

        /** As the game answers to a command that is none, or none for the player. */
        fun refuse(sender: CommandSender) = sender.sendMessage(Component.translatable("command.unknown.command", NamedTextColor.RED))
    }
}
