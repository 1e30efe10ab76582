package dev.auk.game

import java.util.TreeMap
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import java.util.concurrent.LinkedBlockingQueue

/** The thread that a server does everything on, as the game's own executor behaves, with the time that each piece of work held it. */
internal class ServerThread {
    private val queue = LinkedBlockingQueue<Runnable>()
    private val longest = TreeMap<String, Long>()
    private val thread = Thread(::work, "Server thread").apply { start() }

    @Volatile
    private var ended = false

    /** The longest that each kind of work held the thread, in microseconds. */
    val longestUs: Map<String, Long> get() = synchronized(longest) { TreeMap(longest) }

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

    /** Measures what calls into a mod as work of this [kind]. On this thread only. */
    fun <T> measured(kind: String, action: () -> T): T {
        val begun = System.nanoTime()
        try {
            return action()
        } finally {
            val us = (System.nanoTime() - begun) / 1000
            synchronized(longest) { longest.merge(kind, us, ::maxOf) }
        }
    }

    /** What a mod wants done: at once where it is asked for on the thread itself, or after the thread's end. */
    fun execute(task: Runnable) {
        if (Thread.currentThread() === thread || ended) task.run() else queue += Runnable { measured("task", task::run) }
    }

    /** Ends the thread, after all that waits. */
    fun end() {
        queue += Runnable { ended = true }
        thread.join()
    }

    private fun work() {
        while (!ended) queue.take().run()
    }
}
