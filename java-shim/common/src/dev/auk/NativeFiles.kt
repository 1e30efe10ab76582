package dev.auk

import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.nio.file.AtomicMoveNotSupportedException
import java.nio.file.FileSystemException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.nio.file.StandardOpenOption.CREATE_NEW
import java.nio.file.attribute.FileTime
import java.security.DigestInputStream
import java.security.MessageDigest
import java.util.zip.CRC32
import java.util.zip.CheckedInputStream

/** Puts a library's bytes where the system can load them. A file that another JVM may have loaded is never written to. */
internal object NativeFiles {
    /** How many digits of the hash name a directory: 64 bits tell builds apart and are short enough for the path limit of Windows. */
    const val HASH_CHARS = 16

    /** What the name of a copy begins with, see [copy]. */
    const val COPY_PREFIX = "copy-"

    /** What the name of a file ends with that is still being written. */
    const val PART_SUFFIX = ".part"

    /** What the name of a directory of one JVM's own begins with, see [placeTemporarily]. */
    const val TEMPORARY_PREFIX = "auk-native-"

    /**
     * The library at `<base>/<hash>/<name>`. It is written when it is not there yet, or when what is there is not it, such as what a crash
     * left: under a name of its own, read back, and moved into place at once, so that JVMs that do the same at the same time end with
     * the same file. A file that is used gets the time of its use, by which [NativeLeftovers] tells what nobody needs any more.
     */
    @Throws(IOException::class)
    fun place(base: Path, library: PackedLibrary): Path {
        val target = library.target
        val directory = base.toAbsolutePath().resolve(target.sha256.take(HASH_CHARS))
        val file = directory.resolve(target.file)
        if (seemsWhole(file, target)) touch(file) else write(file, library)
        return file
    }

    /** The same in a directory of this JVM's own below the temporary directory, where anybody may write. Both go when the JVM ends. */
    @Throws(IOException::class)
    fun placeTemporarily(library: PackedLibrary): Path {
        val base = Files.createTempDirectory(TEMPORARY_PREFIX)
        // The last one named goes first.
        base.toFile().deleteOnExit()
        val file = place(base, library)
        file.parent.toFile().deleteOnExit()
        file.toFile().deleteOnExit()
        return file
    }

    /**
     * A real copy of [file] under another name, beside it or, where that cannot be written, in the temporary directory. Two class loaders
     * cannot load one file, and a hard link would share the library's statics.
     */
    @Throws(IOException::class)
    fun copy(file: Path): Path {
        val name = file.fileName.toString()
        val directory = file.toAbsolutePath().parent?.takeIf(Files::isWritable) ?: temporary()
        NativeLeftovers.removeCopies(directory, name)
        val copy = directory.resolve("$COPY_PREFIX${fresh()}-$name")
        Files.copy(file, copy)
        copy.toFile().deleteOnExit()
        return copy
    }

    /** Whether too little room is left for [bytes] more where [base] is or would be. */
    fun isFull(base: Path, bytes: Int): Boolean = try {
        val there = generateSequence(base.toAbsolutePath()) { it.parent }.first(Files::exists)
        val volume = Files.getFileStore(there)
        !volume.isReadOnly && volume.usableSpace < bytes
    } catch (_: IOException) {
        false
    }

    /** The system's directory for temporary files. */
    fun temporary(): Path = Path.of(System.getProperty("java.io.tmpdir"))

    /** The SHA-256 of the rest of [stream] in hexadecimal. */
    fun hash(stream: InputStream): String {
        val digest = MessageDigest.getInstance("SHA-256")
        DigestInputStream(stream, digest).copyTo(OutputStream.nullOutputStream(), BUFFER_BYTES)
        return digest.digest().joinToString("") { byte -> "%02x".format(byte) }
    }

    private fun write(file: Path, library: PackedLibrary) {
        val bytes = library.bytes()
        Files.createDirectories(file.parent)
        val part = file.resolveSibling("${library.target.file}.${fresh()}$PART_SUFFIX")
        try {
            Files.write(part, bytes, CREATE_NEW)
            if (!holds(part, library.target)) throw IOException("$part does not hold what was written to it")
            move(part, file)
        } catch (e: FileSystemException) {
            // Windows replaces no file that is loaded: another JVM was first, and its file serves as well.
            if (!holds(file, library.target)) throw e
        } finally {
            part.toFile().delete()
        }
    }

    /** A name that nobody has yet; what is made by it must be new, should it be one all the same. Java's own way asks for secure chance. */
    private fun fresh() = "${ProcessHandle.current().pid()}-${System.nanoTime()}"

    private fun holds(file: Path, target: NativeTarget): Boolean =
        isOfSize(file, target) && Files.newInputStream(file).use(::hash) == target.sha256

    /**
     * What was moved into place had its hash. Every start asks whether a crash or a failing disk has changed it since; the CRC tells as
     * surely, in a tenth of the time.
     */
    private fun seemsWhole(file: Path, target: NativeTarget): Boolean =
        isOfSize(file, target) && Files.newInputStream(file).use(::crc32) == target.crc32

    private fun crc32(stream: InputStream): Long {
        val sum = CRC32()
        CheckedInputStream(stream, sum).copyTo(OutputStream.nullOutputStream(), BUFFER_BYTES)
        return sum.value
    }

    private fun isOfSize(file: Path, target: NativeTarget) = Files.isRegularFile(file) && Files.size(file) == target.bytes.toLong()

    private fun touch(file: Path) {
        try {
            Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()))
        } catch (_: IOException) {
            // It can be read but not written: then nobody of this kind removes it either.
        }
    }

    private fun move(from: Path, to: Path) {
        try {
            Files.move(from, to, ATOMIC_MOVE)
        } catch (_: AtomicMoveNotSupportedException) {
            Files.move(from, to, REPLACE_EXISTING)
        }
    }

    private const val BUFFER_BYTES = 1 shl 16
}
