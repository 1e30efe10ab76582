package dev.auk

/**
 * The border: the eight exports of the native library. Payloads are bytes of UTF-8, never Java strings, because Java's modified UTF-8 is
 * another encoding. The statuses are constants here; `ARCHITECTURE.md` §4 has the whole contract.
 */
object NativeBridge {
    /** The border's number that this shim was written for. */
    const val ABI_VERSION: Int = 2

    /** `submit`, `reload`, `beginClose` and `close`: done. */
    const val DONE: Int = 0

    /** `submit`: the queue is full and the frame was not taken. */
    const val QUEUE_FULL: Int = 1

    /** The handle is closed or was never given. */
    const val CLOSED: Int = 2

    /** The bytes are no frame or no options. */
    const val UNREADABLE: Int = 3

    /** `close`: the handle is freed, but the bridge did not end in the time given. */
    const val TIMED_OUT: Int = 4

    /** `open`: the options cannot be read. */
    const val OPEN_UNREADABLE: Long = -1

    /** `open`: too many bridges are open. */
    const val OPEN_TOO_MANY: Long = -2

    /** The border's number that the library was written for. */
    @JvmStatic external fun abiVersion(): Int

    /** Starts a bridge and answers its handle, which is positive, or one of the `OPEN_` numbers. Never waits for the network. */
    @JvmStatic external fun open(options: ByteArray): Long

    /** Hands in one frame: [DONE], [QUEUE_FULL], [CLOSED] or [UNREADABLE]. Never blocks. */
    @JvmStatic external fun submit(handle: Long, frame: ByteArray): Int

    /** Waits up to [millis] for the next frame; null without one. After the end it answers the `end` frame, always. */
    @JvmStatic external fun poll(handle: Long, millis: Int): ByteArray?

    /** The bridge's condition as JSON, or null for a stale handle. */
    @JvmStatic external fun status(handle: Long): ByteArray?

    /** Reads the settings again: [DONE], [CLOSED] or [UNREADABLE]. */
    @JvmStatic external fun reload(handle: Long, options: ByteArray): Int

    /** Starts the end, which takes up to 2 s; then `poll` answers the `end` frame. */
    @JvmStatic external fun beginClose(handle: Long): Int

    /** Ends the bridge and frees the handle: [DONE], [TIMED_OUT] after [millis], or [CLOSED]. Releases a blocked `poll`. */
    @JvmStatic external fun close(handle: Long, millis: Int): Int

    /** Loads the library. It is here because the JVM binds a library to the class loader of the class that asks for it. */
    @JvmStatic internal fun load(file: String): Unit = System.load(file)
}
