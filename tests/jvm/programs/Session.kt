package dev.auk.programs

import dev.auk.Bridge
import java.nio.file.Path
import kotlin.system.exitProcess

/**
 * One whole life against a platform that answers: open, ready, a line to the group, the end. The arguments are the directory of the server
 * and the line, in ASCII, since Windows hands no other arguments to Java; letters that encodings break on are added to it.
 * Says `said` when the line was handed in, and ends when it reads one: whoever started it saw the post.
 */
internal object Session {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val server = Path.of(arguments[0])
        val bridge = Bridge(RecordingPort(), server.resolve("config").resolve("auk"), server)
        bridge.open()
        bridge.explain().forEach { println("explained: $it") }
        if (bridge.status() == null) exitProcess(1)
        bridge.started()
        while (bridge.status()?.contains("\"state\":\"ready\"") != true) Thread.sleep(20)
        bridge.chat(RecordingPort.STEVE, "${arguments[1]} 海雀 😀")
        println("said")
        readlnOrNull()
        bridge.stopping()
        bridge.stopped()
        println("closed")
    }
}
