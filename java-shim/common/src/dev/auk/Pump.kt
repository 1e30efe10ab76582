package dev.auk

/**
 * Takes frames from the native part until the end frame. A daemon, so that a JVM whose `main` returns is not kept alive; Java calls
 * native code here and never the other way round, because a native thread that is attached to the JVM would keep it alive for ever.
 */
internal class Pump(
    private val handle: Long,
    private val port: ServerPort,
    /** Whoever waits for an answer that this pump brings. */
    val callers: Callers,
    private val submit: (FrameToNative) -> Unit,
) : Thread("auk pump") {
    private val reported = mutableSetOf<String>()
    private val failures = Repeats()

    init {
        isDaemon = true
    }

    override fun run() {
        try {
            pump()
        } finally {
            // No answer comes any more.
            callers.dismiss()
        }
    }

    private fun pump() {
        while (true) {
            val bytes = try {
                NativeBridge.poll(handle, POLL_MS) ?: continue
            } catch (e: RuntimeException) {
                // The native part answers with an exception after a bug of its own, and would again at once.
                shout("the native part failed, so the bridge is off until the next start: $e")
                return
            }
            val frame = Frames.decode(bytes)
            if (frame == FrameToJava.End) return
            guarded { deliver(frame) }
        }
    }

    private fun deliver(frame: FrameToJava) {
        when (frame) {
            is FrameToJava.Say -> port.execute { guarded { port.broadcast(frame.text) } }
            is FrameToJava.ListPlayers -> port.execute {
                guarded { submit(FrameToNative.Players(frame.request, port.players().map { it.player }, port.maxPlayers)) }
            }
            is FrameToJava.Reply -> callers.answer(frame.request, frame.lines, frame.failed)
            is FrameToJava.Log -> port.log(frame.level, frame.logger, frame.text)
            is FrameToJava.Unknown -> reportOnce("a frame of the unknown kind ${frame.type} was passed over")
            is FrameToJava.Unreadable -> reportOnce("a frame that cannot be read was passed over: ${frame.problem}")
            FrameToJava.End -> Unit
        }
    }

    private fun reportOnce(text: String) {
        if (reported.add(text)) port.log(LogLevel.WARN, LOGGER, text)
    }

    private inline fun guarded(action: () -> Unit) {
        try {
            action()
        } catch (e: Exception) {
            failures.report("a delivery failed: $e", ::shout)
        }
    }

    private fun shout(text: String) {
        runCatching { port.log(LogLevel.ERROR, LOGGER, text) }
    }

    private companion object {
        /** How long one call stays in native code; the end frame and a close wake it sooner. */
        const val POLL_MS = 1000
        const val LOGGER = "shim"
    }
}
