package dev.auk.programs

import dev.auk.Frames
import dev.auk.FrameToNative
import dev.auk.NativeBridge
import dev.auk.NativeLoad
import dev.auk.NativeLoader
import java.nio.file.Files
import java.nio.file.Path

/**
 * What the native part adds to a JVM: memory once the bridge is linked, and processor time while nothing happens. The arguments are the
 * directory of the settings and the seconds to be idle. Linux only: the figures are the kernel's.
 */
internal object Footprint {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        // Everything of Java's own is loaded before the first look.
        val options = Frames.encodeOptions(directory.toString(), "0", "test", "26.1")
        Frames.encode(FrameToNative.Chat(RecordingPort.STEVE, "warm"))
        val before = residentKib()
        check(NativeLoader.load(directory) == NativeLoad.Loaded) { "the library does not load" }
        val handle = NativeBridge.open(options)
        check(Checks.awaited { state(handle).contains("\"state\":\"ready\"") }) { "the bridge is not linked: ${state(handle)}" }
        println("resident_kib ${residentKib() - before}")
        val begun = processorTicks()
        Thread.sleep(arguments[1].toLong() * 1000)
        println("idle_ticks ${processorTicks() - begun}")
        println("resident_idle_kib ${residentKib() - before}")
        NativeBridge.close(handle, 3000)
    }

    private fun state(handle: Long) = NativeBridge.status(handle)?.toString(Charsets.UTF_8).orEmpty()

    private fun residentKib(): Long {
        System.gc()
        return Files.readAllLines(Path.of("/proc/self/status")).first { it.startsWith("VmRSS:") }.filter(Char::isDigit).toLong()
    }

    /** Time of the bridge's own thread, in hundredths of a second. Fields 14 and 15 of `stat`, counted after the name in brackets. */
    private fun processorTicks(): Long = Files.list(Path.of("/proc/self/task")).use { tasks ->
        tasks.filter { Files.readString(it.resolve("comm")).trim() == "auk" }.mapToLong { task ->
            val fields = Files.readString(task.resolve("stat")).substringAfterLast(')').trim().split(' ')
            fields[11].toLong() + fields[12].toLong()
        }.sum()
    }
}
