package dev.auk

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/**
 * Whoever typed a command in one life of a bridge and waits for the answer. Each is answered once, on the server thread; what comes a second
 * time is passed over.
 */
internal class Callers(private val port: ServerPort) {
    private val waiting = ConcurrentHashMap<Long, Caller>()
    private val last = AtomicLong()

    /** Keeps [caller] until it is answered; the number names its request. */
    fun keep(caller: Caller): Long = last.incrementAndGet().also { waiting[it] = caller }

    /** Answers the caller of [request], if it still waits. */
    fun answer(request: Long, lines: List<String>, failed: Boolean) {
        waiting.remove(request)?.let { tell(it, lines, failed) }
    }

    /** Answers all who wait that nothing was done, because the bridge is at its end. */
    fun dismiss(): Unit = waiting.keys.forEach { answer(it, listOf(ShimTexts.current().notRunning()), failed = true) }

    private fun tell(caller: Caller, lines: List<String>, failed: Boolean) = guarded(caller) {
        port.execute { guarded(caller) { caller.answer(lines, failed) } }
    }

    /** One caller who cannot be told must not keep the others from being told. */
    private inline fun guarded(caller: Caller, action: () -> Unit) {
        try {
            action()
        } catch (e: Exception) {
            port.log(LogLevel.ERROR, LOGGER, "an answer to ${caller.name} failed: $e")
        }
    }

    private companion object {
        const val LOGGER = "shim"
    }
}
