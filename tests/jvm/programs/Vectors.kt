package dev.auk.programs

import dev.auk.FrameToJava
import dev.auk.FrameToNative
import dev.auk.Frames
import dev.auk.GameText
import dev.auk.LogLevel
import dev.auk.NativeBridge
import dev.auk.NativeLoad
import dev.auk.NativeLoader
import java.nio.file.Files
import java.nio.file.Path

/** Holds the codec against the golden frames. The arguments are the directory of the settings and theirs. */
internal object Vectors {
    private val steve = RecordingPort.STEVE
    private const val FAMILY = "👨\u200d👩\u200d👧"

    private val toNative = mapOf(
        "server_started" to FrameToNative.ServerStarted,
        "server_stopping" to FrameToNative.ServerStopping,
        "chat" to FrameToNative.Chat(steve, "你好 𠀀 $FAMILY \u0000 end"),
        "announcement" to FrameToNative.Announcement("Server", "今晚八点停服维护 𠀀"),
        "emote" to FrameToNative.Emote("Steve", "挥了挥手"),
        "death" to FrameToNative.Death(
            null,
            GameText("Fido was slain by Zombie", "death.attack.mob", listOf(GameText("Fido"), GameText("Zombie", "entity.minecraft.zombie"))),
        ),
        "advancement" to FrameToNative.Advancement(
            steve,
            GameText(
                "Steve has made the advancement [Stone Age]",
                "chat.type.advancement.task",
                listOf(
                    GameText("Steve"),
                    GameText("[Stone Age]", "chat.square_brackets", listOf(GameText("Stone Age", "advancements.story.mine_stone.title"))),
                ),
            ),
        ),
        "command" to FrameToNative.Command(3, "Steve", "send", "大家好 𠀀"),
        "join" to FrameToNative.Join(steve),
        "leave" to FrameToNative.Leave(steve),
        "players" to FrameToNative.Players(7, listOf(steve), 20),
    )

    private val toJava = mapOf(
        "say" to FrameToJava.Say("[QQ] 小明: 你好 𠀀 $FAMILY"),
        "list_players" to FrameToJava.ListPlayers(7),
        "reply" to FrameToJava.Reply(3, listOf("已排队，发往 1 个群", "第二行 𠀀"), false),
        "log" to FrameToJava.Log(LogLevel.WARN, "gateway", "connection lost cause=\"heartbeat unanswered\" retry_in_ms=1000"),
        "end" to FrameToJava.End,
    )

    private val unreadable = listOf(
        "", "{", "[]", "null", "7", "\"end\"", "{}", "{\"type\":[],\"text\":7}", "{\"type\":\"say\"}", "{\"type\":\"list_players\",\"request\":\"x\"}",
        "{\"type\":\"reply\",\"request\":1,\"lines\":\"x\",\"failed\":false}", "{\"type\":\"reply\",\"request\":1,\"lines\":[{}],\"failed\":false}",
    )

    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[1])
        val checks = Checks()
        val kinds = Files.list(directory).use { files -> files.map { it.fileName.toString() }.sorted().toList() }
        checks.equal("every vector is tried", kinds, (toJava.keys.map { "to_java.$it.json" } + toNative.keys.map { "to_native.$it.json" }).sorted())
        val handle = open(checks, Path.of(arguments[0]))
        for ((kind, frame) in toNative) {
            val golden = Files.readString(directory.resolve("to_native.$kind.json")).trim()
            checks.equal("$kind is written as in its vector", Frames.encode(frame).toString(Charsets.UTF_8), golden)
            checks.equal("$kind is taken by the native part", NativeBridge.submit(handle, golden.toByteArray()), NativeBridge.DONE)
        }
        NativeBridge.close(handle, 3000)
        for ((kind, frame) in toJava) {
            checks.equal("$kind is read as in its vector", Frames.decode(Files.readAllBytes(directory.resolve("to_java.$kind.json"))), frame)
        }
        checks.equal("an unknown kind has a name", Frames.decode("{\"type\":\"dance\",\"steps\":3}".toByteArray()), FrameToJava.Unknown("dance"))
        for (text in unreadable) {
            checks.holds("unreadable: $text", Frames.decode(text.toByteArray()) is FrameToJava.Unreadable)
        }
        checks.finish()
    }

    private fun open(checks: Checks, settings: Path): Long {
        checks.equal("the library loads", NativeLoader.load(settings), NativeLoad.Loaded)
        return NativeBridge.open(Frames.encodeOptions(settings.toString(), "0", "test", "26.1"))
    }
}
