package dev.auk.game

import java.util.function.Predicate

/** A small brigadier, and the game's way to run a line through it: literals, one greedy argument, requirements, completion. */
internal class Commands(
    private val things: Things,
    private val texts: Texts,
    private val sources: Sources,
    private val turns: Turns,
) {
    private class Node(val literal: String?, val argument: String?) {
        val children = mutableListOf<Node>()
        var requirement: Predicate<Any>? = null
        var command: Any? = null
    }

    private sealed interface Outcome {
        data object Unreadable : Outcome
        data class Done(val count: Int) : Outcome
    }

    private var root = Node(null, null)

    /** The game's object for the tree, which begins anew: each server has its own. */
    fun dispatcher(): Any {
        root = Node(null, null)
        return things.create("CommandDispatcher")
    }

    /** Every line of words that [source] may complete. */
    fun offered(source: Any): List<String> = offered(root, "", source)

    /** Runs [line] as [source], as the game does with what is typed. Answers the number of successes. */
    fun run(source: Any, line: String): Int {
        val by = sources.of(source)
        val outcome = when (line) {
            GREET -> Outcome.Done(1).also { sources.tell(by, texts.literal("Hello from the server")) }
            STUMBLE -> Outcome.Done(0).also { sources.fail(by, texts.literal("The server stumbled")) }
            else -> execute(root, source, line, HashMap())
        }
        return when (outcome) {
            Outcome.Unreadable -> {
                sources.fail(by, texts.translatable("command.unknown.command", "Unknown or incomplete command", emptyList()))
                sources.fail(by, texts.translatable("command.context.here", "$line<--[HERE]", emptyList()))
                0
            }
            is Outcome.Done -> {
                by.consumer?.let { things.ask(it, "ReturnValueConsumer.onResult", outcome.count > 0, outcome.count) }
                outcome.count
            }
        }
    }

    /** Plays the members of brigadier and of the game's manager of commands. */
    fun play(members: Members) {
        members.field("Command.SINGLE_SUCCESS") { 1 }
        // A number until permissions got names.
        members.field("CommandManager.<owner level constant>") {
            if (things.has("PermissionCheck")) things.create("PermissionCheck") else Sources.OWNER
        }
        members.on("LiteralArgumentBuilder.literal") { _, (name) ->
            things.create("LiteralArgumentBuilder", NODE, Node(name as String, null))
        }
        members.on("RequiredArgumentBuilder.argument") { _, (name, _) ->
            things.create("RequiredArgumentBuilder", NODE, Node(null, name as String))
        }
        members.on("ArgumentBuilder.requires") { self, (requirement) -> self.also { node(it).requirement = predicate(requirement) } }
        members.on("ArgumentBuilder.executes") { self, (command) -> self.also { node(it).command = command } }
        members.on("ArgumentBuilder.then(ArgumentBuilder)") { self, (child) -> self.also { node(it).children += node(child) } }
        members.on("CommandDispatcher.register") { _, (builder) ->
            root.children += node(builder)
            things.create("LiteralCommandNode")
        }
        members.on("StringArgumentType.greedyString") { _, _ -> things.create("StringArgumentType") }
        members.on("StringArgumentType.getString") { _, (context, name) -> things.data<Map<*, *>>(context, ARGUMENTS)[name] }
        members.on("CommandContext.getSource") { self, _ -> things.data(self!!)[SOURCE] }
        members.on("CommandManager.executeWithPrefix") { _, (source, line) -> run(source!!, (line as String).removePrefix("/")) }
    }

    private fun execute(node: Node, source: Any, rest: String, arguments: MutableMap<String, String>): Outcome {
        if (rest.isEmpty()) {
            val command = node.command ?: return Outcome.Unreadable
            val context = things.create("CommandContext", SOURCE, source)
            things.data(context)[ARGUMENTS] = arguments
            return Outcome.Done(things.ask(command, "Command.run", context) as Int)
        }
        val word = rest.substringBefore(' ')
        val open = node.children.filter { admits(it, source) }
        open.firstOrNull { it.literal == word }?.let { return execute(it, source, rest.removePrefix(word).removePrefix(" "), arguments) }
        val greedy = open.firstOrNull { it.argument != null } ?: return Outcome.Unreadable
        arguments[greedy.argument!!] = rest
        return execute(greedy, source, "", arguments)
    }

    private fun offered(node: Node, path: String, source: Any): List<String> = node.children.filter { admits(it, source) }.flatMap { child ->
        val line = "$path ${child.literal ?: "<${child.argument}>"}".trim()
        listOf(line) + offered(child, line, source)
    }

    private fun admits(node: Node, source: Any): Boolean = node.requirement?.let { turns.mod { it.test(source) } } ?: true

    private fun node(builder: Any?): Node = things.data(builder, NODE)

    @Suppress("UNCHECKED_CAST")
    private fun predicate(value: Any?) = value as Predicate<Any>

    private companion object {
        const val NODE = "node"
        const val SOURCE = "source"
        const val ARGUMENTS = "arguments"

        /** A command that succeeds with an answer, and one that fails with one. */
        const val GREET = "greet"
        const val STUMBLE = "stumble"
    }
}
