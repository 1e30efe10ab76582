package dev.auk.fabric.intermediary

import dev.auk.Caller

/** The game's source of a command as a caller. */
internal class SourceCaller(private val source: ServerCommandSource) : Caller {
    override val name: String get() = source.name

    override fun answer(lines: List<String>, failed: Boolean) = lines.forEach { line ->
        if (failed) source.sendError(literal(line)) else source.sendFeedback(literal(line))
    }
}
