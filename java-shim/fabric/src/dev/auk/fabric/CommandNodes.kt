package dev.auk.fabric

import com.mojang.brigadier.Command
import com.mojang.brigadier.arguments.StringArgumentType
import com.mojang.brigadier.builder.ArgumentBuilder
import com.mojang.brigadier.builder.LiteralArgumentBuilder
import com.mojang.brigadier.builder.RequiredArgumentBuilder
import com.mojang.brigadier.context.CommandContext
import dev.auk.Caller
import dev.auk.CommandTree
import java.util.function.Predicate

/**
 * The tree of `/auk` for brigadier, which every version of the game carries under its own names.
 *
 * @param permissions what a permissions mod has to say, if there is one
 * @param run takes a subcommand's name, its argument if it has one, and who called it
 */
class CommandNodes internal constructor(
    private val tree: CommandTree,
    private val permissions: NodePermissions,
    private val run: (String, String?, Caller) -> Unit,
) {
    /**
     * The root literal. [hasLevel] says whether a source of commands has a level, as the game counts them, and [caller] makes a caller of
     * a source.
     */
    fun root(hasLevel: (Any, Int) -> Boolean, caller: (Any) -> Caller): LiteralArgumentBuilder {
        val root = LiteralArgumentBuilder.literal(tree.root)
        root.requires(Predicate<Any> { source -> tree.commands.any { mayRun(source, it, hasLevel) } })
        root.executes(execution(DEFAULT, null, caller))
        for (command in tree.commands) {
            val node = LiteralArgumentBuilder.literal(command.name)
            node.requires(Predicate<Any> { source -> mayRun(source, command, hasLevel) })
            root.then(taking(node, command, caller))
        }
        return root
    }

    private fun mayRun(source: Any, command: CommandTree.Command, hasLevel: (Any, Int) -> Boolean): Boolean =
        permissions.allow(source, command.node, hasLevel(source, command.level))

    /** A command whose argument is left out runs as well, so that Auk's own words say what is missing. */
    private fun taking(node: ArgumentBuilder, command: CommandTree.Command, caller: (Any) -> Caller): ArgumentBuilder {
        node.executes(execution(command.name, null, caller))
        val argument = command.argument ?: return node
        val value = RequiredArgumentBuilder.argument(argument, StringArgumentType.greedyString())
        value.executes(execution(command.name, argument, caller))
        return node.then(value)
    }

    private fun execution(name: String, argument: String?, caller: (Any) -> Caller) = Command { context: CommandContext ->
        run(name, argument?.let { StringArgumentType.getString(context, it) }, caller(context.getSource()))
        DONE
    }

    private companion object {
        /** What `/auk` alone does. */
        const val DEFAULT = "help"

        /** What brigadier counts as one success. */
        const val DONE = 1
    }
}
