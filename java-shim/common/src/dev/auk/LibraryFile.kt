package dev.auk

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.channels.FileChannel
import java.nio.file.Path

/**
 * Looks at a library's header before the system maps it. A file of another platform gets its real name that way, and a cut-off one is
 * refused here: the Linux loader maps it without a look at its length, and the JVM dies of SIGBUS.
 */
internal object LibraryFile {
    /** Why [file] cannot be loaded on [system] with [processor], both as the table of libraries names them; null when nothing speaks against it. */
    @Throws(IOException::class)
    fun check(file: Path, system: String, processor: String): LoadFailure? = FileChannel.open(file).use { channel ->
        val head = read(channel, 0, ELF_HEADER_BYTES)
        val found = describe(head)
        when {
            found == null -> LoadFailure.NoLibrary
            found != system && found != "$system $processor" -> LoadFailure.OtherPlatform(found, "$system $processor")
            system == "linux" && isCutOff(channel, head) -> LoadFailure.CutOff(channel.size())
            else -> null
        }
    }

    /** The system of a library with this head, and its processor where the head says it plainly; null for no library. */
    private fun describe(head: ByteBuffer): String? = when {
        head.limit() >= ELF_HEADER_BYTES && head.getInt(0) == ELF_MAGIC -> "linux " + elfProcessor(head)
        head.limit() >= 2 && head.getShort(0) == WINDOWS_MAGIC -> "windows"
        head.limit() >= 4 && head.getInt(0) in MACOS_MAGICS -> "macos"
        else -> null
    }

    private fun elfProcessor(head: ByteBuffer): String = when (val machine = head.getShort(18).toInt()) {
        ELF_MACHINE_X86_64 -> "x86_64"
        ELF_MACHINE_AARCH64 -> "aarch64"
        else -> "machine $machine"
    }

    /** Whether a segment that the loader would map ends behind the file. Fields as in the System V ABI, "Program Header". */
    private fun isCutOff(channel: FileChannel, head: ByteBuffer): Boolean {
        val table = head.getLong(32)
        val entryBytes = head.getShort(54).toInt()
        val entries = head.getShort(56).toInt()
        if (entryBytes != PROGRAM_HEADER_BYTES || table < 0) return true
        return (0 until entries).any { index ->
            val entry = read(channel, table + index.toLong() * entryBytes, entryBytes)
            entry.limit() < entryBytes || entry.getInt(0) == SEGMENT_LOAD && entry.getLong(8) + entry.getLong(32) > channel.size()
        }
    }

    private fun read(channel: FileChannel, position: Long, bytes: Int): ByteBuffer {
        val buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)
        do {
            val count = channel.read(buffer, position + buffer.position())
        } while (buffer.hasRemaining() && count > 0)
        return buffer.flip()
    }

    private const val ELF_HEADER_BYTES = 64
    private const val PROGRAM_HEADER_BYTES = 56
    private const val SEGMENT_LOAD = 1
    private const val ELF_MACHINE_X86_64 = 62
    private const val ELF_MACHINE_AARCH64 = 183

    /** `7f 45 4c 46`, read in little endian, as the other two. */
    private const val ELF_MAGIC = 0x464c457f
    private const val WINDOWS_MAGIC: Short = 0x5a4d

    /** Mach-O of 64 bits, and the universal file, which is written in big endian. */
    private val MACOS_MAGICS = setOf(0xfeedfacf.toInt(), 0xbebafeca.toInt())
}
