package dev.auk

import java.io.IOException
import java.nio.file.DirectoryIteratorException
import java.nio.file.Files
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.Path
import kotlin.time.Duration.Companion.days

/**
 * Removes what earlier versions and crashes left where libraries are extracted: directories that are named by a hash and files that are
 * named as [NativeFiles] names them, and nothing else.
 *
 * Several servers may share a directory. What was used or written within the last day stays, so nothing goes between another server's
 * look at a file and its loading. A loaded file that is older may go: Linux and macOS keep it for those who have it, Windows refuses to
 * delete it, and both are fine. A server that finds its library gone extracts it again.
 */
internal object NativeLeftovers {
    private val HASH = Regex("[0-9a-f]{${NativeFiles.HASH_CHARS}}")
    private val LIBRARIES = setOf("libauk.so", "auk.dll", "libauk.dylib")
    private val UNUSED_MS_MIN = 1.days.inWholeMilliseconds

    /** Tidies [base], where the library of the directory [used] was just loaded from; of [used] only what is not the library itself. */
    fun remove(base: Path, used: Path) {
        for (directory in children(base).filter(::isHashed)) {
            val files = children(directory)
            if (directory.fileName == used.fileName) {
                files.filter { isPassing(it) && isOld(it) }.forEach(::delete)
            } else if (files.all { isOurs(it) && isOld(it) } && isOld(directory)) {
                files.forEach(::delete)
                delete(directory)
            }
        }
    }

    /** Removes what JVMs that ended badly left in the [temporary] directory. */
    fun removeTemporary(temporary: Path) {
        val left = children(temporary).filter { it.fileName.toString().startsWith(NativeFiles.TEMPORARY_PREFIX) && isDirectory(it) }
        for (base in left.filter(::isOld)) {
            remove(base, base)
            delete(base)
        }
    }

    /** Removes the copies of the library [name] that JVMs left in [directory]: on Windows a copy outlives its JVM. */
    fun removeCopies(directory: Path, name: String) {
        val copies = children(directory).filter { it.fileName.toString().run { startsWith(NativeFiles.COPY_PREFIX) && endsWith("-$name") } }
        copies.filter(::isOld).forEach(::delete)
    }

    private fun isHashed(path: Path) = HASH.matches(path.fileName.toString()) && isDirectory(path)

    private fun isOurs(path: Path) = isPassing(path) || path.fileName.toString() in LIBRARIES

    /** A copy, or a file that was never finished. */
    private fun isPassing(path: Path): Boolean {
        val name = path.fileName.toString()
        return LIBRARIES.any { library ->
            name.startsWith(library) && name.endsWith(NativeFiles.PART_SUFFIX) ||
                name.startsWith(NativeFiles.COPY_PREFIX) && name.endsWith("-$library")
        }
    }

    private fun isDirectory(path: Path) = Files.isDirectory(path, NOFOLLOW_LINKS)

    private fun isOld(path: Path): Boolean = try {
        System.currentTimeMillis() - Files.getLastModifiedTime(path, NOFOLLOW_LINKS).toMillis() > UNUSED_MS_MIN
    } catch (_: IOException) {
        false
    }

    /** Empty where nothing can be read. */
    private fun children(directory: Path): List<Path> = try {
        Files.newDirectoryStream(directory).use { it.toList() }
    } catch (_: IOException) {
        emptyList()
    } catch (_: DirectoryIteratorException) {
        emptyList()
    }

    /** Whoever has a file open, or owns it, may keep it. */
    private fun delete(path: Path) {
        path.toFile().delete()
    }
}
