package dev.auk.fabric

import dev.auk.Bridge
import dev.auk.Caller
import dev.auk.Frames
import dev.auk.GameText
import dev.auk.NativeLoader
import dev.auk.Player
import dev.auk.ServerPort
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import kotlin.concurrent.thread

/**
 * What adapters report, in the game's own terms, on the way to the bridge of the server that runs. Every call returns at once: loading
 * the native part and opening a bridge happen on a thread of their own, and what is reported meanwhile follows in its order.
 */
class GameEvents(private val configDir: Path, private val gameDir: Path) {
    private var bridge: Bridge? = null

    /** Done when the bridge has taken all that was reported so far. */
    private var reported: CompletableFuture<*> = CompletableFuture.completedFuture(Unit)

    /** The message that came last by a command: when a player runs `/say`, the game tells of it as chat too. */
    private var lastMessage: Any? = null

    /** Loads the native part while the server is still on its way up, and what the server's thread would load at first use. */
    fun prepare(classes: ModClasses) {
        thread(name = "auk start", isDaemon = true) {
            NativeLoader.load(gameDir)
            classes.load()
            Frames.rehearse()
        }
    }

    /** A server behind [port] comes up. */
    @Synchronized
    fun starting(port: ServerPort) {
        val next = Bridge(port, configDir, gameDir)
        bridge = next
        reported = CompletableFuture.runAsync(next::open) { thread(name = "auk start", isDaemon = true) { it.run() } }
    }

    /** The server takes players. */
    fun started() = report(Bridge::started)

    /** The server begins to stop. */
    fun stopping() = report(Bridge::stopping)

    /** The server has stopped. Waits for the bridge's end, 3 s at most. */
    fun stopped() {
        val (last, pending) = synchronized(this) { Pair(bridge, reported).also { bridge = null } }
        if (isDone(pending)) last?.stopped()
    }

    /** [player] wrote [text] in the chat. [message] is the game's own object. */
    fun chat(message: Any, player: Player, text: String) {
        if (isNew(message)) report { it.chat(player, text) }
    }

    /** Somebody of this [name] ran `/say` or `/me` with [text]; [key] is that of the chat type, such as `chat.type.emote`. */
    fun commandMessage(message: Any, key: String?, name: String, text: String) {
        if (!isNew(message)) return
        report { if (key == EMOTE) it.emote(name, text) else it.announcement(name, text) }
    }

    /** The game tells everybody [text]. [player] finds the player of a shown name. */
    fun gameMessage(text: GameText, player: (String) -> Player?) {
        val key = text.key ?: return
        val subject = { text.args.firstOrNull()?.text?.let(player) }
        when {
            key.startsWith("death.") -> subject().let { who -> report { it.death(who, text) } }
            key.startsWith("chat.type.advancement.") -> subject().let { who -> report { it.advancement(who, text) } }
        }
    }

    /** [player] came. */
    fun join(player: Player) = report { it.join(player) }

    /** [player] went. */
    fun leave(player: Player) = report { it.leave(player) }

    /** [caller] ran the subcommand [name] of `/auk`. */
    fun command(name: String, argument: String?, caller: Caller) = report { it.command(name, argument, caller) }

    @Synchronized
    private fun report(event: (Bridge) -> Unit) {
        val open = bridge ?: return
        reported = reported.handle { _, _ -> event(open) }
    }

    /** A disk that is stuck must not hold the server's end up for longer; the JVM is about to end anyway. */
    private fun isDone(pending: CompletableFuture<*>): Boolean = try {
        pending.get(OPEN_MS_MAX, TimeUnit.MILLISECONDS)
        true
    } catch (_: TimeoutException) {
        false
    } catch (_: InterruptedException) {
        Thread.currentThread().interrupt()
        false
    }

    @Synchronized
    private fun isNew(message: Any): Boolean = (message !== lastMessage).also { lastMessage = message }

    private companion object {
        const val EMOTE = "chat.type.emote"
        const val OPEN_MS_MAX = 3000L
    }
}
