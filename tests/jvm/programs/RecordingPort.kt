package dev.auk.programs

import dev.auk.CommandOutput
import dev.auk.LogLevel
import dev.auk.OnlinePlayer
import dev.auk.Player
import dev.auk.ServerPort
import dev.auk.TickTimes
import java.util.concurrent.CopyOnWriteArrayList

/** A server that only remembers. Log lines are printed as well, so that the test outside sees them. */
internal open class RecordingPort : ServerPort {
    val logged = CopyOnWriteArrayList<String>()
    val said = CopyOnWriteArrayList<String>()

    override val platform = "test"
    override val minecraft = "26.1"
    override val motd = "A test"
    override val maxPlayers = 20

    override fun players() = listOf(OnlinePlayer(STEVE, 5, "minecraft:overworld", "survival"))

    override fun broadcast(text: String) {
        said += text
    }

    override fun tell(uuid: String, text: String) = uuid == STEVE.uuid

    override fun disconnect(uuid: String, reason: String) = uuid == STEVE.uuid

    override fun runCommand(command: String) = CommandOutput(listOf(command), true)

    override fun tickTimes() = TickTimes(20.0, 1.5)

    override fun isOperator(name: String) = false

    override fun isWhitelisted(name: String) = false

    override fun execute(task: Runnable) = task.run()

    override fun log(level: LogLevel, logger: String, text: String) {
        logged += text
        println("log $level $logger: $text")
    }

    companion object {
        val STEVE = Player("Steve", "069a79f4-44e9-4726-a5be-fca90e38aaf5")
    }
}
