package dev.auk.programs

import dev.auk.Bridge
import dev.auk.Frames
import dev.auk.FrameToNative
import dev.auk.NativeBridge
import dev.auk.LogLevel
import java.nio.file.Path
import kotlin.concurrent.thread

/** Opens, uses and closes bridges in every order that a server may think of. The argument is the directory of the settings. */
internal object Lives {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val checks = Checks()
        twoLives(checks, directory)
        closingInAnyOrder(checks, directory)
        staleHandles(checks, directory)
        failingDelivery(checks, directory)
        checks.finish()
    }

    private fun twoLives(checks: Checks, directory: Path) {
        val bridge = Bridge(RecordingPort(), directory, directory)
        repeat(2) { life ->
            bridge.open()
            bridge.started()
            checks.holds("life $life has a status", bridge.status()?.contains("\"gateway\"") == true)
            checks.holds("life $life can be told to read its settings again", bridge.reload())
            bridge.join(RecordingPort.STEVE)
            bridge.chat(RecordingPort.STEVE, "hello")
            bridge.leave(RecordingPort.STEVE)
            bridge.stopping()
            val begun = System.nanoTime()
            bridge.stopped()
            checks.holds("life $life ends within 3 s", System.nanoTime() - begun < 3_000_000_000)
            checks.equal("after life $life there is no status", bridge.status(), null)
            checks.becomes("after life $life there is no pump") { Thread.getAllStackTraces().keys.none { it.name == "auk pump" } }
        }
    }

    private fun closingInAnyOrder(checks: Checks, directory: Path) {
        val port = RecordingPort()
        val bridge = Bridge(port, directory, directory)
        bridge.stopping()
        bridge.stopped()
        bridge.started()
        checks.holds("before its life a bridge does nothing", !bridge.reload() && bridge.status() == null)
        bridge.open()
        bridge.open()
        val closers = List(2) { thread { bridge.stopping(); bridge.stopped() } }
        closers.forEach(Thread::join)
        bridge.stopped()
        bridge.chat(RecordingPort.STEVE, "after the end")
        checks.holds("closing twice, from two threads, before it is ready: nothing fails", port.logged.none { "failed" in it })
    }

    private fun staleHandles(checks: Checks, directory: Path) {
        val options = Frames.encodeOptions(directory.toString(), "0", "test", "26.1")
        val handle = NativeBridge.open(options)
        checks.holds("a handle is positive", handle > 0)
        checks.equal("the first close ends it", NativeBridge.close(handle, 3000), NativeBridge.DONE)
        checks.equal("the second finds it closed", NativeBridge.close(handle, 3000), NativeBridge.CLOSED)
        for (stale in listOf(handle, 0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE)) {
            checks.equal("submit to $stale", NativeBridge.submit(stale, Frames.encode(FrameToNative.ServerStarted)), NativeBridge.CLOSED)
            checks.equal("status of $stale", NativeBridge.status(stale), null)
            checks.equal("reload of $stale", NativeBridge.reload(stale, options), NativeBridge.CLOSED)
            checks.equal("poll of $stale", NativeBridge.poll(stale, 0)?.let(Frames::decode), dev.auk.FrameToJava.End)
        }
        val other = NativeBridge.open(options)
        checks.holds("a new handle is another number", other > 0 && other != handle)
        checks.equal("bytes that are no frame", NativeBridge.submit(other, byteArrayOf(1, 2, 3)), NativeBridge.UNREADABLE)
        checks.equal("options that are none", NativeBridge.open("{".toByteArray()), NativeBridge.OPEN_UNREADABLE)
        NativeBridge.close(other, 3000)
    }

    /** The native part explains itself in log frames at once, and again on every reload, because no settings file is right here. */
    private fun failingDelivery(checks: Checks, directory: Path) {
        var failures = 0
        val port = object : RecordingPort() {
            override fun log(level: LogLevel, logger: String, text: String) {
                super.log(level, logger, text)
                if (logger != "shim" && failures++ == 0) throw IllegalStateException("planted")
            }
        }
        val bridge = Bridge(port, directory.resolve("none"), directory)
        directory.resolve("none").toFile().mkdirs()
        directory.resolve("none/auk.toml").toFile().writeText("this is not TOML")
        bridge.open()
        checks.becomes("a delivery fails and is reported") { port.logged.any { "planted" in it } }
        val before = failures
        bridge.reload()
        checks.becomes("the pump goes on after it") { failures > before }
        bridge.stopped()
    }
}
