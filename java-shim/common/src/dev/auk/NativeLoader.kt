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
 * On Linux the library for the other libc is tried after the one that this JVM seems to run on.
 */
internal object NativeLoader {
    private var outcome: NativeLoad? = null

    /** Loads the library, with [directory] as the place for extracted files. Never throws. */
    @Synchronized
    fun load(directory: Path): NativeLoad = outcome ?: search(directory).also { outcome = it }

    private fun search(directory: Path): NativeLoad {
        val named = System.getProperty("auk.native.file")
        if (!named.isNullOrBlank()) return loadNamed(named)
        return try {
            when (val choice = NativeTarget.choose(table(), systemName(), System.getProperty("os.arch", ""), libc)) {
                is NativeTarget.Choice.None -> LoadFailure.Unsupported(choice.reason).unavailable(emptyList())
                is NativeTarget.Choice.Left -> LoadFailure.NotInJar(choice.platform).unavailable(emptyList())
                is NativeTarget.Choice.Found -> loadFromJar(choice.targets, places(directory))
            }
        } catch (e: IOException) {
            LoadFailure.DamagedJar(e.toString()).unavailable(emptyList())
        } catch (e: IllegalArgumentException) {
            LoadFailure.DamagedJar(e.message ?: e.toString()).unavailable(emptyList())
        }
    }

    private fun loadNamed(name: String): NativeLoad {
        val failure = try {
            val file = Path.of(name).toAbsolutePath()
            if (!Files.isRegularFile(file)) LoadFailure.NoSuchFile(name) else tryFile(file, "")
        } catch (_: InvalidPathException) {
            LoadFailure.NoSuchFile(name)
        } catch (e: IOException) {
            LoadFailure.Damaged(e.toString())
        } ?: return NativeLoad.Loaded
        return failure.unavailable(listOf(Attempt(name, failure)))
    }

    private fun loadFromJar(targets: List<NativeTarget>, places: List<Place>): NativeLoad {
        val attempts = mutableListOf<Attempt>()
        for (target in targets) {
            val library = PackedLibrary(target) { open(target.resource) }
            for (place in places) {
                val failure = tryPlace(place, library) ?: return NativeLoad.Loaded
                attempts += Attempt("${place.name} (${target.resource})", failure)
                when (failure.next) {
                    LoadFailure.Next.PLACE -> continue
                    LoadFailure.Next.LIBRARY -> break
                    LoadFailure.Next.NOTHING -> return failure.unavailable(attempts)
                }
            }
        }
        return attempts.first().failure.unavailable(attempts)
    }

    /** Somewhere that a library may be extracted to: below [base], or in a directory of this JVM's own where there is none. */
    private class Place(val name: String, val base: () -> Path?)

    private fun places(directory: Path): List<Place> {
        val chosen = System.getProperty("auk.native.dir")?.takeIf { it.isNotBlank() }
        val own = directory.resolve(".auk").resolve("native")
        return listOfNotNull(
            // A name that is no path, as one may be in the locale C, is a failure like any other.
            chosen?.let { Place(it) { Path.of(it) } },
            Place(own.toString()) { own },
            Place(System.getProperty("java.io.tmpdir")) { null },
        )
    }

    private fun tryPlace(place: Place, library: PackedLibrary): LoadFailure? {
        val base = try {
            place.base()
        } catch (e: InvalidPathException) {
            return LoadFailure.NotWritable(e.toString())
        }
        return try {
            val file = if (base == null) NativeFiles.placeTemporarily(library) else NativeFiles.place(base, library)
            tryFile(file, library.target.libc).also { if (it == null) tidy(file) }
        } catch (e: PackedLibrary.DamagedException) {
            LoadFailure.DamagedJar(e.message ?: e.toString())
        } catch (e: IOException) {
            val isFull = NativeFiles.isFull(base ?: NativeFiles.temporary(), library.target.bytes)
            if (isFull) LoadFailure.NoRoom(library.target.bytes, e.toString()) else LoadFailure.NotWritable(e.toString())
        }
    }

    private fun tidy(loaded: Path) {
        NativeLeftovers.remove(loaded.parent.parent, loaded.parent)
        NativeLeftovers.removeTemporary(NativeFiles.temporary())
    }

    /** Loads [file]; [madeFor] is the libc that it was built for, where that is known. */
    private fun tryFile(file: Path, madeFor: String): LoadFailure? {
        LibraryFile.check(file, NativeTarget.system(systemName()), NativeTarget.processor(System.getProperty("os.arch", "")))?.let { return it }
        val refusal = link(file) ?: return checkAbi()
        if (!refusal.contains("already loaded in another classloader")) return explained(refusal, file, madeFor)
        val copy = try {
            NativeFiles.copy(file)
        } catch (e: IOException) {
            return LoadFailure.NotWritable(e.toString())
        }
        val again = link(copy) ?: return checkAbi()
        return explained(again, copy, madeFor)
    }

    private fun explained(refusal: String, file: Path, madeFor: String): LoadFailure {
        // Both the JVM and the system put the file's name first, which whoever reads this knows.
        val words = refusal.replace("$file: ", "")
        return if (Mounts.forbidRunning(file)) LoadFailure.NotExecutable(words) else LoadFailure.of(words, madeFor, libc)
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

    /** What the jar holds; nothing where it has no table. */
    private fun table(): List<NativeTarget> {
        val text = resource(TABLE)?.openStream()?.use { it.readBytes().toString(Charsets.UTF_8) }
        return NativeTarget.table(text.orEmpty())
    }

    private fun resource(path: String): URL? = NativeLoader::class.java.classLoader.getResource(path)

    @Throws(IOException::class)
    private fun open(path: String): InputStream = resource(path)?.openStream() ?: throw IOException("it is not in the jar")

    /** Java calls Android's system Linux as well; only the environment tells them apart. */
    private fun systemName(): String = if (System.getenv("ANDROID_ROOT") != null) "Android" else System.getProperty("os.name", "")

    /** The libc that this very JVM runs on: a machine may have both. */
    private val libc: String by lazy {
        try {
            // Names of files in any encoding; the names that matter are ASCII.
            val maps = Files.readString(Path.of("/proc/self/maps"), Charsets.ISO_8859_1)
            if (listOf("ld-musl", "libc.musl", "linux-musl/").any(maps::contains)) "musl" else "gnu"
        } catch (_: IOException) {
            "gnu"
        }
    }

    private const val TABLE = "META-INF/auk/natives.tsv"
}
