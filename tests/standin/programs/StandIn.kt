package dev.auk.game

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.nio.file.Files
import java.nio.file.Path
import java.util.UUID
import java.util.concurrent.CompletableFuture
import kotlin.concurrent.thread

/**
 * Plays Minecraft and Fabric for a mod, in any version, as it is told: an order a line on standard input, what is seen on standard output.
 * The argument is a file with the [Description].
 */
internal class StandIn(private val description: Description, private val report: Report) {
    private val loader = ModLoader(listOf(description.game) + description.jars.values, description.libraries)
    private val turns = Turns()
    private val things = Things(loader, turns)
    private val texts = Texts(things)
    private val players = Players(things, texts, report)
    private val sources = Sources(things, texts, players, report, turns)
    private val permissions = PermissionsMod(sources)
    private val commands = Commands(things, texts, sources, turns)
    private val events = FabricEvents(things) { kind, action -> measured(kind, action) }
    private val server = Server(things, texts, players, sources, events, description.minecraft, turns)
    private val api = LoaderApi(things, description, loader)
    private val probe = Probe(loader, events::all)
    private var running: ServerThread? = null
    private var initialized = Clock.now()

    /** Sets the stage. */
    fun prepare() {
        val members = Members(report)
        val parts = listOf(
            texts::play,
            players::play,
            sources::play,
            permissions::play,
            commands::play,
            events::play,
            server::play,
            server::playChat,
            api::play,
        )
        parts.forEach { it(members) }
        things.play(members)
        // A game is whole before its server starts.
        loader.loadAll(description.game)
    }

    /** Obeys one [order]. Answers what it has to say beside the events. */
    fun obey(order: JsonObject): JsonElement? = when (val name = order["do"].asString) {
        "initialize" -> initialize()
        "settle" -> settle()
        "start" -> start()
        "opened" -> opened()
        "join" -> join(order)
        "leave" -> leave(order["player"].asString)
        "chat" -> does { server.chat(player(order)!!, order["text"].asString) }
        "speak" -> does { server.speak(player(order), order["key"].asString, order["text"].asString) }
        "message" -> does { server.broadcast(text(order["text"].asJsonObject), order["overlay"]?.asBoolean ?: false) }
        "run" -> onServer { running!!.measured("command") { commands.run(source(order), order["line"].asString) } }.let(::number)
        "permit" -> permit(order["player"].asString, order["node"].asString, order["allowed"].asBoolean)
        "offered" -> onServer { running!!.measured("completion") { commands.offered(source(order)) } }.let(probe::render)
        "port members" -> probe.render(probe.methods(PORT))
        "port" -> onServer { probe.call(PORT, order["member"].asString, order["arguments"].asJsonArray.map(::value)) }
        "port execute" -> portExecute()
        "game text" -> gameText(text(order["text"].asJsonObject))
        "stop" -> stop()
        "listened to" -> probe.render(events.names)
        "left" -> left()
        else -> throw AssertionError("there is no order $name")
    }

    private fun initialize(): JsonElement? {
        initialized = Clock.now()
        for (mod in api.entryPoints("main")) things.ask(mod, "ModInitializer.onInitialize")
        return probe.render(initialized.passed())
    }

    /** Waits until the mod has done what it does while a game is on its way up, which takes seconds. */
    private fun settle(): JsonElement? {
        val busy = { Thread.getAllStackTraces().keys.filter { it.name.startsWith(MOD_THREADS) } }
        awaitNone(busy, SETTLE_NS)
        check(busy().isEmpty()) { "the mod is still at work: ${busy()}" }
        return null
    }

    private fun start(): JsonElement? {
        server.begin()
        running = server.thread
        return does {
            val selection = things.create("CommandManager.RegistrationEnvironment")
            val registries = things.create("CommandRegistryAccess")
            events.fire(
                "CommandRegistrationCallback.EVENT",
                "CommandRegistrationCallback.register",
                commands.dispatcher(),
                registries,
                selection,
            )
            lifecycle("STARTING")
            lifecycle("STARTED")
        }
    }

    /** Waits until the bridge has taken all that was reported to it. Answers the time since the mod was initialized. */
    private fun opened(): JsonElement? {
        val reports = probe.find("dev.auk.fabric.GameEvents")
        val reported = reports.javaClass.getDeclaredField("reported").apply { isAccessible = true }
        (reported.get(reports) as CompletableFuture<*>).join()
        return probe.render(initialized.passed())
    }

    private fun join(order: JsonObject) = does {
        val name = order["player"].asString
        val player = Player(name, UUID.fromString(order["uuid"].asString), order["level"].asInt, order["latency_ms"].asInt)
        players.connect(player)
        // Fabric tells of it before the player is on the list.
        connection("JOIN", "Join.onPlayReady", player.connection, things.create("PacketSender"), server.thing)
        players.add(player)
    }

    /** Fabric tells of it on a network thread. */
    private fun leave(name: String): JsonElement? {
        val player = players.named(name)
        val network = thread(name = "Netty Server IO #1") {
            connection("DISCONNECT", "Disconnect.onPlayDisconnect", player.connection, server.thing)
        }
        network.join()
        return does { players.remove(player) }
    }

    private fun connection(event: String, method: String, vararg arguments: Any) =
        events.fire("ServerPlayConnectionEvents.$event", "ServerPlayConnectionEvents.$method", *arguments)

    private fun lifecycle(name: String) {
        val method = "Server" + name.lowercase().replaceFirstChar(Char::uppercase)
        events.fire("ServerLifecycleEvents.SERVER_$name", "ServerLifecycleEvents.$method.on$method", server.thing)
        report.event("lifecycle") { addProperty("name", name) }
    }

    private fun permit(name: String, node: String, allowed: Boolean): JsonElement? {
        permissions.permit(name, node, allowed)
        return null
    }

    private fun portExecute(): JsonElement? {
        val ran = CompletableFuture<String>()
        probe.call(PORT, "execute", listOf(Runnable { ran.complete(Thread.currentThread().name) }))
        return probe.render(ran.join())
    }

    /** What the adapter makes of a text of the game: with the key and all arguments. */
    private fun gameText(text: Any): JsonElement? {
        val adapter = api.entryPoints("auk-adapter").single()
        val file = loader.loadClass(adapter.javaClass.packageName + ".GameTextsKt")
        return probe.render(file.methods.single { it.name == "toGameText" }.invoke(null, text))
    }

    private fun stop(): JsonElement? {
        onServer { lifecycle("STOPPING") }
        players.all.map { it.name }.forEach(::leave)
        onServer { lifecycle("STOPPED") }
        running?.end()
        val held = running?.held.orEmpty()
        running = null
        return JsonObject().apply { held.forEach { (kind, span) -> add(kind, probe.render(span)) } }
    }

    /**
     * What is left of the mod when no server runs. Its threads have a moment to end, because a thread says that its work is done before it
     * is gone.
     */
    private fun left(): JsonElement {
        awaitNone(::threads, THREAD_END_NS)
        return JsonObject().apply {
            add("threads", probe.render(threads()))
            add("foreign_classes", probe.render(loader.foreign))
            addProperty("packed_classes", loader.packed.size)
            add("late_classes", probe.render(loader.late))
        }
    }

    private fun does(action: () -> Unit): JsonElement? {
        onServer(action)
        return null
    }

    private fun <T> onServer(action: () -> T): T = checkNotNull(running) { "no server runs" }.call(action)

    /** Only what holds the server's thread is measured, not what a network thread does. */
    private fun measured(kind: String, action: () -> Unit) {
        if (Thread.currentThread().name.startsWith("Netty")) action() else running!!.measured(kind, action)
    }

    private fun player(order: JsonObject): Player? = order["player"]?.takeIf { it.isJsonPrimitive }?.let { players.named(it.asString) }

    private fun source(order: JsonObject): Any = player(order)?.let(sources::player) ?: sources.console()

    private fun text(json: JsonObject): Any {
        val key = json["key"] ?: return texts.literal(json["text"].asString)
        val args = (json["args"] ?: JsonArray()).asJsonArray.map { text(it.asJsonObject) }
        return texts.translatable(key.asString, json["text"].asString, args)
    }

    private fun value(json: JsonElement): Any = json.asString

    private fun number(value: Number): JsonElement = probe.render(value)

    private fun obey(line: String) {
        val order = JsonParser.parseString(line).asJsonObject
        val answer = runCatching { obey(order) }
        report.event("done") {
            addProperty("id", order["id"].asLong)
            answer.onSuccess { add("answer", it) }
            answer.onFailure { addProperty("failure", it.stackTraceToString()) }
        }
    }

    companion object {
        private const val PORT = "dev.auk.ServerPort"
        private const val THREAD_END_NS = 5_000_000_000

        /** The library of the tests is large, and unpacked first. */
        private const val SETTLE_NS = 25_000_000_000
        private const val MOD_THREADS = "auk"

        @JvmStatic
        fun main(arguments: Array<String>) {
            val report = Report.begin()
            val standIn = StandIn(Description.read(Path.of(arguments[0])), report)
            standIn.prepare()
            report.event("ready")
            generateSequence(::readlnOrNull).forEach(standIn::obey)
            report.event("end")
        }

        private fun awaitNone(threads: () -> List<*>, limitNs: Long) {
            val deadline = System.nanoTime() + limitNs
            while (threads().isNotEmpty() && System.nanoTime() < deadline) Thread.sleep(5)
        }

        /** The mod's threads, Java's and native ones, where the system tells their names; Java's alone where it does not. */
        private fun threads(): List<String> {
            val java = Thread.getAllStackTraces().keys.map { it.name }
            val tasks = Path.of("/proc/self/task")
            val native = if (Files.isDirectory(tasks)) Files.list(tasks).use { list -> list.toList().mapNotNull(::nameOf) } else emptyList()
            return (java + native).filter { it.startsWith(MOD_THREADS) }.sorted()
        }

        /** Null for a thread that has ended meanwhile. */
        private fun nameOf(task: Path): String? = runCatching { Files.readString(task.resolve("comm")).trim() }.getOrNull()
    }
}
