package dev.auk

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import com.google.gson.JsonParseException
import com.google.gson.JsonParser
import java.nio.CharBuffer
import java.nio.charset.CodingErrorAction

/** Frames as the border carries them: JSON in UTF-8 with a type tag. `tests/vectors/frames` has one of each kind. */
internal object Frames {
    /** The bytes of a [frame] for the native part. */
    fun encode(frame: FrameToNative): ByteArray = utf8(json(frame).toString())

    /** The bytes of the options for `open` and `reload`. */
    fun encodeOptions(configDir: String, shim: String, platform: String, minecraft: String): ByteArray = utf8(
        JsonObject().apply {
            addProperty("config_dir", configDir)
            addProperty("shim", shim)
            addProperty("platform", platform)
            addProperty("minecraft", minecraft)
        }.toString(),
    )

    /** The frame in [bytes] from the native part. Never throws: what cannot be read is a frame that says so. */
    fun decode(bytes: ByteArray): FrameToJava = try {
        read(JsonParser.parseString(bytes.toString(Charsets.UTF_8)).asJsonObject)
    } catch (e: JsonParseException) {
        FrameToJava.Unreadable(e.message ?: "no JSON")
    } catch (e: IllegalStateException) {
        FrameToJava.Unreadable(e.message ?: "another shape")
    } catch (e: UnsupportedOperationException) {
        FrameToJava.Unreadable(e.message ?: "a value of another type")
    } catch (e: NumberFormatException) {
        FrameToJava.Unreadable(e.message ?: "not a number")
    }

    /** [text] in UTF-8. A surrogate without its other half cannot be written in UTF-8 and becomes U+FFFD. */
    fun utf8(text: String): ByteArray {
        val encoder = Charsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE).replaceWith(REPLACEMENT)
        val buffer = encoder.encode(CharBuffer.wrap(text))
        return ByteArray(buffer.remaining()).also(buffer::get)
    }

    private fun json(frame: FrameToNative): JsonObject = when (frame) {
        FrameToNative.ServerStarted -> tagged("server_started")
        FrameToNative.ServerStopping -> tagged("server_stopping")
        is FrameToNative.Chat -> tagged("chat").apply {
            add("player", json(frame.player))
            addProperty("text", frame.text)
        }
        is FrameToNative.Join -> tagged("join").apply { add("player", json(frame.player)) }
        is FrameToNative.Leave -> tagged("leave").apply { add("player", json(frame.player)) }
        is FrameToNative.Players -> tagged("players").apply {
            addProperty("request", frame.request)
            add("online", JsonArray().apply { frame.online.forEach { add(json(it)) } })
            addProperty("max", frame.max)
        }
    }

    private fun tagged(type: String) = JsonObject().apply { addProperty("type", type) }

    private fun json(player: Player) = JsonObject().apply {
        addProperty("name", player.name)
        addProperty("uuid", player.uuid)
    }

    private fun read(frame: JsonObject): FrameToJava = when (val type = text(frame, "type")) {
        "say" -> FrameToJava.Say(text(frame, "text"))
        "list_players" -> FrameToJava.ListPlayers(field(frame, "request").asLong)
        "log" -> FrameToJava.Log(level(text(frame, "level")), text(frame, "logger"), text(frame, "text"))
        "end" -> FrameToJava.End
        else -> FrameToJava.Unknown(type)
    }

    private fun text(frame: JsonObject, name: String): String = field(frame, name).asString

    private fun field(frame: JsonObject, name: String) = frame.get(name) ?: throw JsonParseException("the field $name is missing")

    /** A level that this shim does not know is shown rather than lost. */
    private fun level(name: String): LogLevel = LogLevel.entries.find { it.name.equals(name, ignoreCase = true) } ?: LogLevel.INFO

    /** U+FFFD in UTF-8. */
    private val REPLACEMENT = byteArrayOf(0xEF.toByte(), 0xBF.toByte(), 0xBD.toByte())
}
