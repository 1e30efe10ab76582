package dev.auk

import com.google.gson.JsonArray
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonParseException
import com.google.gson.JsonParser
import java.nio.CharBuffer
import java.nio.charset.CodingErrorAction

/** Frames as the border carries them: JSON in UTF-8 with a type tag. `tests/vectors/frames` has one of each kind. */
internal object Frames {
    /** The bytes of a [frame] for the native part. */
    fun encode(frame: FrameToNative): ByteArray = utf8(json(frame).toString())

    /** Writes and reads frames that nobody gets, so that the first real ones find all classes loaded. */
    fun rehearse() {
        val nobody = Player("", "")
        val text = GameText("", "", listOf(GameText("")))
        val frames = listOf(FrameToNative.Chat(nobody, ""), FrameToNative.Death(nobody, text), FrameToNative.Command(0, "", "", ""))
        frames.forEach(::encode)
        decode(utf8("""{"type":"reply","request":0,"lines":[""],"failed":false}"""))
    }

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
        is FrameToNative.Announcement -> tagged("announcement").apply {
            addProperty("name", frame.name)
            addProperty("text", frame.text)
        }
        is FrameToNative.Emote -> tagged("emote").apply {
            addProperty("name", frame.name)
            addProperty("text", frame.text)
        }
        is FrameToNative.Death -> tagged("death").apply { addTold(frame.player, frame.message) }
        is FrameToNative.Advancement -> tagged("advancement").apply { addTold(frame.player, frame.message) }
        is FrameToNative.Command -> tagged("command").apply {
            addProperty("request", frame.request)
            addProperty("caller", frame.caller)
            addProperty("name", frame.name)
            frame.argument?.let { addProperty("argument", it) }
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

    private fun JsonObject.addTold(player: Player?, message: GameText) {
        add("player", player?.let(::json) ?: JsonNull.INSTANCE)
        add("message", json(message, 0))
    }

    /** What is nested deeper than any text of the game goes with its English words alone: the native part refuses a frame without end. */
    private fun json(text: GameText, depth: Int): JsonObject = JsonObject().apply {
        addProperty("text", text.text)
        text.key?.let { addProperty("key", it) }
        if (text.args.isNotEmpty() && depth < TEXT_DEPTH_MAX) {
            add("args", JsonArray().apply { text.args.forEach { add(json(it, depth + 1)) } })
        }
    }

    private fun read(frame: JsonObject): FrameToJava = when (val type = text(frame, "type")) {
        "say" -> FrameToJava.Say(text(frame, "text"))
        "list_players" -> FrameToJava.ListPlayers(field(frame, "request").asLong)
        "reply" -> FrameToJava.Reply(field(frame, "request").asLong, lines(frame), field(frame, "failed").asBoolean)
        "log" -> FrameToJava.Log(level(text(frame, "level")), text(frame, "logger"), text(frame, "text"))
        "end" -> FrameToJava.End
        else -> FrameToJava.Unknown(type)
    }

    private fun lines(frame: JsonObject) = field(frame, "lines").asJsonArray.map { it.asString }

    private fun text(frame: JsonObject, name: String): String = field(frame, name).asString

    private fun field(frame: JsonObject, name: String) = frame.get(name) ?: throw JsonParseException("the field $name is missing")

    /** A level that this shim does not know is shown rather than lost. */
    private fun level(name: String): LogLevel = LogLevel.entries.find { it.name.equals(name, ignoreCase = true) } ?: LogLevel.INFO

    /** The native part's JSON reader follows 128 levels, and each text is two of them. */
    private const val TEXT_DEPTH_MAX = 32

    /** U+FFFD in UTF-8. */
    private val REPLACEMENT = byteArrayOf(0xEF.toByte(), 0xBF.toByte(), 0xBD.toByte())
}
