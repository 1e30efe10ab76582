package dev.auk

import java.io.IOException
import java.io.InputStream
import java.net.URL
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.Path

/** Whether this JVM has the native library. */
internal sealed interface NativeLoad {
    /** It is loaded and speaks this shim's border. */
    data object Loaded : NativeLoad

    /** It is not, and [lines], at most three, say what is wrong, what was tried and what to do. */
    data class Unavailable(val lines: List<String>) : NativeLoad
}

/**
 * Loads the native library, once in a JVM; the outcome is remembered. In order: the file of `-Dauk.native.file`; else the library out of
 * the jar, extracted into `-Dauk.native.dir`, the given directory's `.auk/native`, or the temporary directory, whichever works first.
 */
internal object NativeLoader {
    private var outcome: NativeLoad? = null

    /** Loads the library, with [directory] as the place for extracted files. Never throws. */
    @Synchronized
    fun load(directory: Path): NativeLoad = outcome ?: attempt(directory).also { outcome = it }

    private fun attempt(directory: Path): NativeLoad = try {
        search(directory)
    } catch (e: IOException) {
        LoadFailure.Damaged(e.toString()).unavailable(emptyList())
    } catch (e: InvalidPathException) {
        LoadFailure.Damaged(e.toString()).unavailable(emptyList())
    }

    @Throws(IOException::class)
    private fun search(directory: Path): NativeLoad {
        val named = System.getProperty("auk.native.file")
        if (!named.isNullOrBlank()) return loadNamed(named)
        return when (val choice = NativeTarget.choose(table(), systemName(), System.getProperty("os.arch", ""), libc())) {
            is NativeTarget.Choice.None -> LoadFailure.Unsupported(choice.reason).unavailable(emptyList())
            is NativeTarget.Choice.Found -> loadFromJar(choice.targets, directories(directory))
        }
    }

    private fun loadNamed(name: String): NativeLoad {
        val failure = try {
            val file = Path.of(name).toAbsolutePath()
            if (!Files.isRegularFile(file)) LoadFailure.NoSuchFile(name) else tryFile(file)
        } catch (_: InvalidPathException) {
            LoadFailure.NoSuchFile(name)
        } catch (e: IOException) {
            LoadFailure.Damaged(e.toString())
        } ?: return NativeLoad.Loaded
        return failure.unavailable(listOf(Attempt(name, failure)))
    }

    private fun loadFromJar(targets: List<NativeTarget>, directories: List<Path>): NativeLoad {
        val attempts = mutableListOf<Attempt>()
        for (target in targets) {
            if (resource(target.resource) == null) {
                attempts += Attempt(target.resource, LoadFailure.NotInJar(target.resource))
                continue
            }
            val source = { open(target.resource) }
            for (directory in directories) {
                val failure = tryPlaced { NativeFiles.place(directory, target.file, source) } ?: return NativeLoad.Loaded
                attempts += Attempt("$directory (${target.resource})", failure)
            }
            val failure = tryPlaced { NativeFiles.placeTemporarily(target.file, source) } ?: return NativeLoad.Loaded
            attempts += Attempt("${System.getProperty("java.io.tmpdir")} (${target.resource})", failure)
        }
        val telling = attempts.firstOrNull { it.failure !is LoadFailure.NotInJar } ?: attempts.first()
        return telling.failure.unavailable(attempts)
    }

    private inline fun tryPlaced(place: () -> Path): LoadFailure? = try {
        tryFile(place())
    } catch (e: IOException) {
        LoadFailure.NotWritable(e.toString())
    }

    private fun tryFile(file: Path): LoadFailure? {
        LibraryFile.check(file, NativeTarget.system(systemName()), NativeTarget.processor(System.getProperty("os.arch", "")))?.let { return it }
        val refusal = link(file) ?: return checkAbi()
        if (!refusal.contains("already loaded in another classloader")) return LoadFailure.of(refusal)
        val copy = try {
            NativeFiles.copy(file)
        } catch (e: IOException) {
            return LoadFailure.NotWritable(e.toString())
        }
        val again = link(copy) ?: return checkAbi()
        return LoadFailure.of(again)
    }

    /** Loads [file] and answers the system's words when it refuses. */
    private fun link(file: Path): String? = try {
        NativeBridge.load(file.toString())
        null
    } catch (e: LinkageError) {
        e.message ?: e.toString()
    } catch (e: IllegalCallerException) {
        e.message ?: e.toString()
    }

    private fun checkAbi(): LoadFailure? = try {
        val found = NativeBridge.abiVersion()
        if (found == NativeBridge.ABI_VERSION) null else LoadFailure.OtherAbi(found)
    } catch (_: UnsatisfiedLinkError) {
        LoadFailure.NotOurs
    }

    private fun directories(directory: Path): List<Path> {
        val chosen = System.getProperty("auk.native.dir")?.takeIf { it.isNotBlank() }?.let { Path.of(it) }
        return listOfNotNull(chosen, directory.resolve(".auk").resolve("native"))
    }

    private fun table(): List<NativeTarget> =
        NativeTarget.table(open("META-INF/auk/natives.tsv").use { it.readBytes().toString(Charsets.UTF_8) })

    private fun resource(path: String): URL? = NativeLoader::class.java.classLoader.getResource(path)

    @Throws(IOException::class)
    private fun open(path: String): InputStream = resource(path)?.openStream() ?: throw IOException("$path is not in the jar")

    /** Java calls Android's system Linux as well; only the environment tells them apart. */
    private fun systemName(): String = if (System.getenv("ANDROID_ROOT") != null) "Android" else System.getProperty("os.name", "")

    /** The libc that this very JVM runs on: a machine may have both. */
    private fun libc(): String = try {
        val musl = Files.lines(Path.of("/proc/self/maps")).use { lines -> lines.anyMatch { it.contains("ld-musl") || it.contains("libc.musl") } }
        if (musl) "musl" else "gnu"
    } catch (_: IOException) {
        "gnu"
    }
}
