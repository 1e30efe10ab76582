package dev.auk.programs

import dev.auk.FrameToNative
import dev.auk.Frames
import dev.auk.NativeBridge
import dev.auk.NativeLoad
import dev.auk.NativeLoader
import com.google.gson.JsonParser
import java.nio.ByteBuffer
import java.nio.file.Path

/** Submits text that encodings break on. The argument is the directory of the settings. */
internal object Strings {
    /** What is written, and what arrives when that is something else. */
    private val texts = listOf(
        "NUL" to ("a\u0000b" to "a\u0000b"),
        "every ASCII control" to ((0..31).joinToString("") { it.toChar().toString() } to (0..31).joinToString("") { it.toChar().toString() }),
        "emoji" to ("😀" to "😀"),
        "CJK extension B" to ("𠀀𪚥" to "𠀀𪚥"),
        "joined emoji" to ("👨\u200d👩\u200d👧" to "👨\u200d👩\u200d👧"),
        "line separators" to ("\u2028\u2029\u0085" to "\u2028\u2029\u0085"),
        "noncharacters" to ("\uffff\ufffe" to "\uffff\ufffe"),
        "quotes and backslashes" to ("\"\\/</>&'" to "\"\\/</>&'"),
        "a lone high surrogate" to ("a\ud83db" to "a\ufffdb"),
        "a lone low surrogate" to ("a\ude00b" to "a\ufffdb"),
        "surrogates in the wrong order" to ("\ude00\ud83d" to "\ufffd\ufffd"),
        "a high surrogate at the end" to ("a\ud83d" to "a\ufffd"),
        "nothing" to ("" to ""),
    )

    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val checks = Checks()
        checks.equal("the library loads", NativeLoader.load(directory), NativeLoad.Loaded)
        val handle = NativeBridge.open(Frames.encodeOptions(directory.toString(), "0", "test", "26.1"))
        for ((name, text) in texts) {
            val (written, arriving) = text
            val frame = Frames.encode(FrameToNative.Chat(RecordingPort.STEVE, written))
            // A decoder of its own reports what is not UTF-8; the one behind toString(Charset) would repair it.
            val strict = Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(frame)).toString()
            checks.equal("$name, in UTF-8", JsonParser.parseString(strict).asJsonObject.get("text").asString, arriving)
            checks.equal("$name is taken", NativeBridge.submit(handle, frame), NativeBridge.DONE)
        }
        NativeBridge.close(handle, 3000)
        checks.finish()
    }
}
