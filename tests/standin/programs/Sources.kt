package dev.auk.game

import java.util.function.Supplier

/** Whoever runs a command: its [name], its operator [level], who hears the answers, and who is told how it ended. */
internal class Source(val name: String, val level: Int, val output: Output, val consumer: Any? = null) {
    /** Where answers go. */
    sealed interface Output {
        /** To a player's client. */
        data class Client(val player: Player) : Output

        /** To the console. */
        data object Console : Output

        /** To an object that a mod made. */
        data class Mod(val thing: Any) : Output
    }
}

/** The game's sources of commands, and who may do what in each of its ways to say so. */
internal class Sources(
    private val things: Things,
    private val texts: Texts,
    private val players: Players,
    private val report: Report,
    private val turns: Turns,
) {
    /** The console's. */
    fun console(): Any = create(Source("Server", OWNER, Source.Output.Console))

    /** A player's own. */
    fun player(player: Player): Any = create(Source(player.name, player.level, Source.Output.Client(player)))

    /** The source behind an object of the game. */
    fun of(thing: Any?): Source = things.data(thing, SOURCE)

    /** Says to the source that what it asked for failed. */
    fun fail(source: Source, text: Any?) {
        if (takes(source, "CommandOutput.shouldTrackOutput")) send(source, text, failed = true)
    }

    /** Says to the source what was done. */
    fun tell(source: Source, text: Any?) {
        if (takes(source, "CommandOutput.shouldReceiveFeedback")) send(source, text, failed = false)
    }

    /** Plays the members of sources and permissions. */
    fun play(members: Members) {
        members.on("ServerCommandSource.getName") { self, _ -> of(self).name }
        members.on("ServerCommandSource.sendError") { self, (text) -> fail(of(self), text) }
        members.on("ServerCommandSource.sendFeedback(Supplier,boolean)") { self, (text, _) -> tell(of(self), turns.mod { (text as Supplier<*>).get() }) }
        members.on("ServerCommandSource.withOutput") { self, (output) ->
            of(self).let { create(Source(it.name, it.level, Source.Output.Mod(output!!), it.consumer)) }
        }
        members.on("ServerCommandSource.withConsumer") { self, (consumer) ->
            of(self).let { create(Source(it.name, it.level, it.output, consumer)) }
        }
        members.on("ServerCommandSource.hasPermissionLevel(int)") { self, (level) -> of(self).level >= level as Int }
        members.on("PermissionSource.getPermissions") { self, _ -> things.create("PermissionPredicate", SOURCE, of(self)) }
        members.on("PermissionPredicate.hasPermission") { self, (permission) ->
            things.data<Source>(self, SOURCE).level >= things.data<Int>(permission, LEVEL)
        }
        PERMISSIONS.forEachIndexed { index, name ->
            members.field("DefaultPermissions.$name") { things.create("Permission", LEVEL, index + 1) }
        }
    }

    private fun create(source: Source): Any = things.create("ServerCommandSource", SOURCE, source)

    private fun takes(source: Source, what: String): Boolean = when (val output = source.output) {
        is Source.Output.Mod -> things.ask(output.thing, what) as Boolean
        is Source.Output.Client, Source.Output.Console -> true
    }

    private fun send(source: Source, text: Any?, failed: Boolean) = when (val output = source.output) {
        is Source.Output.Client -> players.show(output.player, text)
        is Source.Output.Mod -> things.ask(output.thing, "CommandOutput.sendMessage(Text)", text)
        Source.Output.Console -> report.event("console") {
            addProperty("text", texts.string(text))
            addProperty("failed", failed)
        }
    }

    companion object {
        /** The highest level. */
        const val OWNER = 4

        private const val SOURCE = "source"
        private const val LEVEL = "level"

        /** From level 1 on. */
        private val PERMISSIONS = listOf("MODERATORS", "GAMEMASTERS", "ADMINS", "OWNERS")
    }
}
