package dev.auk

import java.io.IOException
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.Path

/** What the system's table of volumes says. There is one on Linux only. */
internal object Mounts {
    private val TABLE = Path.of("/proc/self/mountinfo")

    /** Whether [file] lies on a volume from which nothing may be run; false where nothing says so. */
    fun forbidRunning(file: Path): Boolean = try {
        forbidRunning(Files.readString(TABLE, Charsets.UTF_8), file.toRealPath())
    } catch (_: IOException) {
        false
    }

    /** The same by a [table] in the form of Linux (proc_pid_mountinfo(5)): the fifth value is the place, the sixth its options. */
    fun forbidRunning(table: String, file: Path): Boolean {
        val mounts = table.lines().map { it.split(' ') }.filter { it.size > 5 && isAbove(unescaped(it[4]), file) }
        // The last one of a place lies over those before it.
        val over = mounts.reversed().maxByOrNull { it[4].length } ?: return false
        return "noexec" in over[5].split(',')
    }

    private fun isAbove(place: String, file: Path) = try {
        file.startsWith(place)
    } catch (_: InvalidPathException) {
        false
    }

    /** Blanks and backslashes stand there as three octal digits. */
    private fun unescaped(place: String) = Regex("""\\(\d{3})""").replace(place) { it.groupValues[1].toInt(8).toChar().toString() }
}
