package dev.auk.programs

import dev.auk.Bridge
import java.nio.file.Path

/**
 * Opens a bridge with whatever library the properties name, goes through a life, and says what it was told. The argument is the directory
 * of the settings, which is the server's own as well unless a second one is named.
 */
internal object Loading {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val bridge = Bridge(RecordingPort(), directory, arguments.getOrNull(1)?.let { Path.of(it) } ?: directory)
        repeat(2) {
            bridge.open()
            bridge.started()
            bridge.chat(RecordingPort.STEVE, "hello")
            println("status ${if (bridge.status() != null) "there" else "none"}")
            bridge.explain().forEach { println("explained: $it") }
            bridge.stopping()
            bridge.stopped()
        }
        println("the server runs on")
    }
}
