package dev.auk

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicReference

/**
 * The life of one bridge in a server, and the way in for its events. In order: [open], [started], events, [stopping], [stopped]; then
 * [open] again for another life in the same JVM. Every call is safe on any thread, at any moment, any number of times, and throws
 * nothing: without a native part, or outside a life, it does nothing.
 *
 * @param configDir the directory of `auk.toml`
 * @param gameDir the server's own directory; extracted native libraries go into its `.auk/native`
 */
class Bridge(private val port: ServerPort, private val configDir: Path, private val gameDir: Path) {
    private sealed interface State {
        data object Closed : State
        data class Off(val lines: List<String>) : State
        data class Open(val handle: Long, val pump: Pump) : State
    }

    private val state = AtomicReference<State>(State.Closed)
    private val refusals = Repeats()
    private val failures = Repeats()

    /** Loads the native part, if this JVM has not yet, and starts a bridge. Says in the log, in three lines at most, why it cannot. */
    fun open(): Unit = guarded {
        synchronized(this) {
            if (state.get() is State.Open) return
            val next = when (val load = NativeLoader.load(gameDir)) {
                is NativeLoad.Unavailable -> State.Off(load.lines)
                NativeLoad.Loaded -> start()
            }
            state.set(next)
            if (next is State.Off) next.lines.forEach { port.log(LogLevel.WARN, LOGGER, it) }
        }
    }

    /** The server takes players. */
    fun started(): Unit = submit(FrameToNative.ServerStarted)

    /** [player] wrote [text] in the chat. */
    fun chat(player: Player, text: String): Unit = submit(FrameToNative.Chat(player, text))

    /** Somebody of this [name] said [text] to everyone with `/say`: a player, the console or a command block. */
    fun announcement(name: String, text: String): Unit = submit(FrameToNative.Announcement(name, text))

    /** Somebody of this [name] told with `/me` what they do. */
    fun emote(name: String, text: String): Unit = submit(FrameToNative.Emote(name, text))

    /** Somebody died, and the game said so to everyone. [player] is who, or null where it was none. */
    fun death(player: Player?, message: GameText): Unit = submit(FrameToNative.Death(player, message))

    /** Somebody made an advancement, and the game said so to everyone. [player] is who, or null where it was none. */
    fun advancement(player: Player?, message: GameText): Unit = submit(FrameToNative.Advancement(player, message))

    /**
     * [caller], whose right to it was checked, typed the command [name] of [CommandTree], with its [argument] if there was one. The caller
     * is answered once, soon, on the server thread: by the native part, or here when there is none that could.
     */
    fun command(name: String, argument: String?, caller: Caller): Unit = guarded {
        when (val now = state.get()) {
            is State.Off -> refuse(caller, now.lines)
            State.Closed -> refuse(caller, listOf(ShimTexts.current().notRunning()))
            is State.Open -> ask(now, name, argument, caller)
        }
    }

    /** [player] came. */
    fun join(player: Player): Unit = submit(FrameToNative.Join(player))

    /** [player] went. */
    fun leave(player: Player): Unit = submit(FrameToNative.Leave(player))

    /** The server is about to stop: the last notice goes out, and the bridge starts to end. Does not wait. */
    fun stopping(): Unit = guarded {
        val open = state.get() as? State.Open ?: return
        submit(FrameToNative.ServerStopping)
        NativeBridge.beginClose(open.handle)
    }

    /** The server has stopped: waits up to 3 s for the bridge's end and frees it. */
    fun stopped(): Unit = guarded {
        val open = state.getAndSet(State.Closed) as? State.Open ?: return
        NativeBridge.beginClose(open.handle)
        awaitEnd(open.pump)
        val late = NativeBridge.close(open.handle, CLOSE_MS_MAX) == NativeBridge.TIMED_OUT
        if (late) port.log(LogLevel.WARN, LOGGER, ShimTexts.current().late())
        open.pump.callers.dismiss()
        refusals.drain().takeIf { it > 0 }?.let(::reportRefused)
    }

    /** The bridge's condition as JSON (`ARCHITECTURE.md` §4), or null outside a life. */
    fun status(): String? {
        var answer: String? = null
        guarded { answer = handle()?.let(NativeBridge::status)?.toString(Charsets.UTF_8) }
        return answer
    }

    /** Reads the settings again and tries at once. Answers whether there was a bridge to tell. */
    fun reload(): Boolean {
        var taken = false
        guarded { taken = handle()?.let { NativeBridge.reload(it, options()) } == NativeBridge.DONE }
        return taken
    }

    /** Why the bridge is off, in three lines at most; empty when it is not. */
    fun explain(): List<String> = when (val now = state.get()) {
        is State.Off -> now.lines
        is State.Open, State.Closed -> emptyList()
    }

    private fun start(): State = when (val handle = NativeBridge.open(options())) {
        NativeBridge.OPEN_UNREADABLE -> State.Off(listOf("Auk's native part could not read its options; this is a bug of Auk."))
        NativeBridge.OPEN_TOO_MANY -> State.Off(listOf(ShimTexts.current().tooMany()))
        else -> State.Open(handle, Pump(handle, port, Callers(port), ::submit).also(Thread::start))
    }

    /** The caller is kept before the frame goes out, because the answer may be quicker than this thread. */
    private fun ask(open: State.Open, name: String, argument: String?, caller: Caller) {
        val callers = open.pump.callers
        val request = callers.keep(caller)
        var status = NativeBridge.CLOSED
        try {
            status = NativeBridge.submit(open.handle, Frames.encode(FrameToNative.Command(request, caller.name, name, argument)))
        } finally {
            val texts = ShimTexts.current()
            when {
                status == NativeBridge.QUEUE_FULL -> callers.answer(request, listOf(texts.busy()), failed = true)
                // A pump that has ended brings no answer, though the frame may have been taken.
                status != NativeBridge.DONE || !open.pump.isAlive -> callers.answer(request, listOf(texts.notRunning()), failed = true)
            }
        }
    }

    private fun refuse(caller: Caller, lines: List<String>) = Callers(port).run { answer(keep(caller), lines, failed = true) }

    private fun awaitEnd(pump: Pump) {
        if (pump === Thread.currentThread()) return
        try {
            pump.join(END_MS_MAX)
        } catch (_: InterruptedException) {
            // Whoever interrupts a stopping server wants it to stop sooner; the handle is freed all the same.
            Thread.currentThread().interrupt()
        }
    }

    private fun options(): ByteArray = Frames.encodeOptions(configDir.toString(), Version.current, port.platform, port.minecraft)

    private fun handle(): Long? = (state.get() as? State.Open)?.handle

    private fun submit(frame: FrameToNative): Unit = guarded {
        val handle = handle() ?: return
        when (NativeBridge.submit(handle, Frames.encode(frame))) {
            NativeBridge.QUEUE_FULL -> refusals.count().takeIf { it > 0 }?.let(::reportRefused)
            NativeBridge.UNREADABLE -> port.log(LogLevel.ERROR, LOGGER, "the native part could not read a frame of the kind ${frame.javaClass.simpleName}")
        }
    }

    private fun reportRefused(count: Long) = port.log(LogLevel.WARN, LOGGER, ShimTexts.current().refused(count))

    /** A bridge that fails is off; a server that fails because of a bridge would be worse. */
    private inline fun guarded(action: () -> Unit) {
        try {
            action()
        } catch (e: Exception) {
            complain(e)
        } catch (e: LinkageError) {
            complain(e)
        }
    }

    private fun complain(e: Throwable) {
        failures.report("a call of the bridge failed: $e") { line -> runCatching { port.log(LogLevel.ERROR, LOGGER, line) } }
    }

    private companion object {
        /** The flush, up to 1 s, and the gateway's close, up to 1 s, and a little for the way back. */
        const val END_MS_MAX = 2200L

        /** What is left of the 3 s that a stopping server is held up at most, and a little less. */
        const val CLOSE_MS_MAX = 700
        const val LOGGER = "shim"
    }
}
