package dev.auk.programs

import dev.auk.Bridge
import dev.auk.Caller
import dev.auk.CommandTree
import dev.auk.GameText
import dev.auk.NativeLoad
import dev.auk.NativeLoader
import java.nio.file.Path
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.concurrent.thread

/** Types commands, with a native part and without one, in and out of a life. The arguments are the directory and whether there is one. */
internal object Commands {
    private class Typist : Caller {
        override val name = "Alex"
        val answers = CopyOnWriteArrayList<Pair<List<String>, Boolean>>()

        override fun answer(lines: List<String>, failed: Boolean) {
            answers += lines to failed
        }
    }

    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val checks = Checks()
        tree(checks)
        when (arguments[1]) {
            "absent" -> off(checks, directory)
            else -> on(checks, directory)
        }
        checks.finish()
    }

    private fun tree(checks: Checks) {
        val tree = CommandTree.read()
        checks.equal("the root", tree.root, "auk")
        checks.equal("the commands", tree.commands.map { it.name }, listOf("status", "reload", "reconnect", "send", "test", "help"))
        val send = tree.commands.single { it.name == "send" }
        checks.equal("what is known of one", listOf(send.level, send.node, send.argument), listOf(3, "auk.command.send", "text"))
        checks.holds("the help is in the shim's language", send.help.startsWith("Sends a line"))
        checks.equal("only one has an argument", tree.commands.count { it.argument != null }, 1)
    }

    private fun off(checks: Checks, directory: Path) {
        val bridge = Bridge(RecordingPort(), directory, directory)
        checks.equal("before a life", typed(bridge, "status").answers.toList(), listOf(NOT_RUNNING to true))
        bridge.open()
        checks.holds("the library is missing", bridge.explain().isNotEmpty())
        checks.equal("without a native part", typed(bridge, "status").answers.toList(), listOf(bridge.explain() to true))
        bridge.announcement("Server", "hi")
        bridge.death(null, GameText("Fido died"))
        bridge.stopped()
    }

    private fun on(checks: Checks, directory: Path) {
        checks.equal("the library loads", NativeLoader.load(directory), NativeLoad.Loaded)
        val port = RecordingPort()
        val bridge = Bridge(port, directory, directory)
        bridge.open()
        val status = typed(bridge, "status")
        checks.becomes("a status is answered") { status.answers.size == 1 }
        checks.holds("as a success", status.answers.all { (lines, failed) -> !failed && lines[0].startsWith("QQ: ") })
        val help = typed(bridge, "help")
        checks.becomes("help is answered") { help.answers.size == 1 }
        checks.equal("with a line for each command", help.answers.first().first.size, CommandTree.read().commands.size)
        val dance = typed(bridge, "dance")
        checks.becomes("a command that is none is answered") { dance.answers.size == 1 && dance.answers[0].second }
        val sent = typed(bridge, "send", "hello \ud83d")
        checks.becomes("a line is queued") { sent.answers.size == 1 && sent.answers[0].first[0].startsWith("Queued. Groups: 1") }
        news(bridge)
        flood(checks, bridge)
        val clumsy = object : Caller {
            override val name = "Clumsy"
            override fun answer(lines: List<String>, failed: Boolean) {
                throw IllegalStateException("planted")
            }
        }
        bridge.command("help", null, clumsy)
        checks.becomes("a caller that fails is reported") { port.logged.any { "an answer to Clumsy failed" in it } }
        val late = List(20) { typed(bridge, "status") }
        bridge.stopping()
        val after = typed(bridge, "status")
        bridge.stopped()
        checks.holds("whoever waits at the end is answered once", late.all { it.answers.size == 1 })
        checks.equal("and whoever comes after the end began", after.answers.size, 1)
        checks.equal("outside a life", typed(bridge, "status").answers.toList(), listOf(NOT_RUNNING to true))
        checks.holds("no frame was unreadable", port.logged.none { "could not read" in it })
    }

    private fun news(bridge: Bridge) {
        bridge.announcement("Server", "hi")
        bridge.emote("Steve", "waves")
        bridge.death(RecordingPort.STEVE, GameText("Steve drowned", "death.attack.drown", listOf(GameText("Steve"))))
        bridge.death(null, (1..500).fold(GameText("deep")) { inner, _ -> GameText("deep", "key", listOf(inner)) })
        bridge.advancement(RecordingPort.STEVE, GameText("Steve has made the advancement [Stone Age]"))
    }

    /** More at once than the native part's queue holds: each is answered once, by whoever can. */
    private fun flood(checks: Checks, bridge: Bridge) {
        val typists = List(4_000) { Typist() }
        typists.chunked(1_000).map { some -> thread { some.forEach { bridge.command("help", null, it) } } }.forEach(Thread::join)
        checks.becomes("each of a flood is answered") { typists.all { it.answers.size >= 1 } }
        checks.holds("and once", typists.all { it.answers.size == 1 })
    }

    private fun typed(bridge: Bridge, name: String, argument: String? = null) = Typist().also { bridge.command(name, argument, it) }

    private val NOT_RUNNING = listOf("Auk's bridge is not running, so nothing was done.")
}
