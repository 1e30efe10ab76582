package dev.auk.programs

import dev.auk.FrameToJava
import dev.auk.FrameToNative
import dev.auk.Frames
import dev.auk.NativeBridge
import dev.auk.NativeLoad
import dev.auk.NativeLoader
import java.nio.file.Path

/**
 * Measures calls across the border. A line in is `submit N` or `poll N`; a line out is how many nanoseconds N such calls took.
 * The argument is the directory of the settings.
 */
internal object Border {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        check(NativeLoader.load(directory) == NativeLoad.Loaded) { "the library does not load" }
        val options = Frames.encodeOptions(directory.toString(), "0", "test", "26.1")
        val live = NativeBridge.open(options)
        val ended = NativeBridge.open(options).also { NativeBridge.beginClose(it) }
        check(Checks.awaited { NativeBridge.poll(ended, 100)?.let(Frames::decode) == FrameToJava.End }) { "a closed bridge has no end frame" }
        println("ready")
        generateSequence(::readlnOrNull).forEach { line ->
            val (what, count) = line.split(' ')
            println(if (what == "submit") submit(live, count.toLong()) else poll(ended, count.toLong()))
        }
        NativeBridge.close(live, 3000)
        NativeBridge.close(ended, 3000)
    }

    /** Only calls whose frame was taken count: the queue is bounded, and the other side takes from it at its own pace. */
    private fun submit(handle: Long, count: Long): Long {
        val frame = Frames.encode(FrameToNative.Chat(RecordingPort.STEVE, "大家好，今晚八点一起打末影龙吗？"))
        var nanoseconds = 0L
        var taken = 0L
        while (taken < count) {
            val begun = System.nanoTime()
            val status = NativeBridge.submit(handle, frame)
            val time = System.nanoTime() - begun
            if (status == NativeBridge.DONE) {
                nanoseconds += time
                taken += 1
            } else {
                Thread.sleep(1)
            }
        }
        return nanoseconds
    }

    /** An ended bridge has a frame for every poll, so each call carries one and none waits. */
    private fun poll(handle: Long, count: Long): Long {
        val begun = System.nanoTime()
        for (call in 0 until count) checkNotNull(NativeBridge.poll(handle, 0))
        return System.nanoTime() - begun
    }
}
