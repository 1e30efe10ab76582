package dev.auk.game

import java.util.TreeMap
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import java.util.concurrent.LinkedBlockingQueue

/** The thread that a server does everything on, as the game's own executor behaves, with the time that the mod took of it. */
internal class ServerThread(private val turns: Turns) {
    private val queue = LinkedBlockingQueue<Runnable>()
    private val longest = TreeMap<String, Span>()
    private val thread = Thread(::work, NAME).apply { start() }

    @Volatile
    private var ended = false

    /** The longest that the mod held the thread for each kind of work. */
    val held: Map<String, Span> get() = synchronized(longest) { TreeMap(longest) }

    /** Does [action] there and waits for it. */
    fun <T> call(action: () -> T): T {
        val result = CompletableFuture<T>()
        queue += Runnable { runCatching(action).fold(result::complete, result::completeExceptionally) }
        return try {
            result.get()
        } catch (e: ExecutionException) {
            throw e.cause ?: e
        }
    }

    /** Counts what calls into the mod as work of this [kind]. On this thread only. */
    fun <T> measured(kind: String, action: () -> T): T {
        val before = turns.ofMod
        try {
            return action()
        } finally {
            val span = turns.ofMod - before
            synchronized(longest) { longest.merge(kind, span, Span::max) }
        }
    }

    /** What a mod wants done: at once where it is asked for on the thread itself, or after the thread's end. */
    fun execute(task: Runnable) {
        val work = { turns.mod(task::run) }
        if (Thread.currentThread() === thread || ended) work() else queue += Runnable { measured("task", work) }
    }

    /** Ends the thread, after all that waits. */
    fun end() {
        queue += Runnable { ended = true }
        thread.join()
    }

    private fun work() {
        while (!ended) queue.take().run()
    }

    companion object {
        /** The thread's name, which is the game's own. */
        const val NAME = "Server thread"
    }
}
