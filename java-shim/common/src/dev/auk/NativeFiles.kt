package dev.auk

import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.nio.file.AtomicMoveNotSupportedException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.security.DigestInputStream
import java.security.MessageDigest

/** Puts a library's bytes where the system can load them. A file that another JVM may have loaded is never written to. */
internal object NativeFiles {
    /** What [source] opens, at `<base>/<hash>/<name>`; written when it is not there yet. Streams, because a library may be large. */
    @Throws(IOException::class)
    fun place(base: Path, name: String, source: () -> InputStream): Path {
        val hash = source().use(::hash)
        val directory = base.toAbsolutePath().resolve(hash.take(HASH_CHARS))
        val file = directory.resolve(name)
        if (Files.isRegularFile(file) && hash(file) == hash) return file
        Files.createDirectories(directory)
        val temporary = Files.createTempFile(directory, name, ".part")
        try {
            source().use { Files.copy(it, temporary, REPLACE_EXISTING) }
            if (hash(temporary) != hash) throw IOException("$temporary does not hold what was written to it")
            move(temporary, file)
        } finally {
            Files.deleteIfExists(temporary)
        }
        return file
    }

    /** The same in a directory of this JVM's own below the temporary directory, where anybody may write. Both go when the JVM ends. */
    @Throws(IOException::class)
    fun placeTemporarily(name: String, source: () -> InputStream): Path {
        val base = Files.createTempDirectory("auk-native-")
        // The last one named goes first.
        base.toFile().deleteOnExit()
        val file = place(base, name, source)
        file.parent.toFile().deleteOnExit()
        file.toFile().deleteOnExit()
        return file
    }

    /**
     * A real copy of [file] under another name, beside it or, where that cannot be written, in the temporary directory. Two class loaders
     * cannot load one file, and a hard link would share the library's statics. Copies that earlier JVMs left behind are removed.
     */
    @Throws(IOException::class)
    fun copy(file: Path): Path {
        val name = file.fileName.toString()
        val directory = file.toAbsolutePath().parent?.takeIf(Files::isWritable) ?: Path.of(System.getProperty("java.io.tmpdir"))
        removeOldCopies(directory, name)
        val copy = Files.createTempFile(directory, COPY_PREFIX, "-$name")
        Files.copy(file, copy, REPLACE_EXISTING)
        copy.toFile().deleteOnExit()
        return copy
    }

    /** The SHA-256 of the rest of [stream] in hexadecimal. */
    fun hash(stream: InputStream): String {
        val digest = MessageDigest.getInstance("SHA-256")
        DigestInputStream(stream, digest).copyTo(OutputStream.nullOutputStream(), BUFFER_BYTES)
        return digest.digest().joinToString("") { byte -> "%02x".format(byte) }
    }

    private fun hash(file: Path): String = Files.newInputStream(file).use(::hash)

    private fun move(from: Path, to: Path) {
        try {
            Files.move(from, to, ATOMIC_MOVE)
        } catch (_: AtomicMoveNotSupportedException) {
            Files.move(from, to, REPLACE_EXISTING)
        }
    }

    /** On Windows a loaded file cannot be deleted, so a copy outlives its JVM; elsewhere a deleted file stays usable to who has it open. */
    private fun removeOldCopies(directory: Path, name: String) {
        Files.newDirectoryStream(directory, "$COPY_PREFIX*-$name").use { copies ->
            for (copy in copies) copy.toFile().delete()
        }
    }

    /** 64 bits: enough to tell builds apart, short enough for the path limit of Windows. */
    private const val HASH_CHARS = 16
    private const val BUFFER_BYTES = 1 shl 16
    private const val COPY_PREFIX = "copy-"
}
