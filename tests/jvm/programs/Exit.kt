package dev.auk.programs

import dev.auk.Bridge
import java.nio.file.Path
import kotlin.system.exitProcess

/** Leaves a bridge open, with its pump blocked in native code, and ends: by returning, or by `System.exit` when the second argument says so. */
internal object Exit {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val bridge = Bridge(RecordingPort(), directory, directory)
        bridge.open()
        bridge.started()
        val pumping = Checks.awaited { Thread.getAllStackTraces().any { (thread, stack) -> thread.name == "auk pump" && stack.any { it.isNativeMethod } } }
        println(if (pumping && bridge.status() != null) "the pump is in native code" else "FAILED: ${bridge.explain()}")
        if (arguments[1] == "exit") exitProcess(0)
    }
}
