package dev.auk.programs

import dev.auk.Mounts
import dev.auk.NativeFiles
import dev.auk.NativeLeftovers
import dev.auk.NativeTarget
import dev.auk.PackedLibrary
import dev.auk.Repeats
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.zip.CRC32
import kotlin.concurrent.thread
import org.tukaani.xz.LZMA2Options
import org.tukaani.xz.XZOutputStream

/** Where extracted libraries go, that no file is ever written over, and what is tidied. The argument is an empty directory. */
internal object Extraction {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val checks = Checks()
        placing(checks, directory.resolve("placing"))
        racing(checks, directory.resolve("racing"))
        unpacking(checks)
        copying(checks, directory.resolve("copying"))
        tidying(checks, directory.resolve("tidying"))
        tidyingTheTemporary(checks, directory.resolve("temporary"))
        mounts(checks)
        refusing(checks)
        checks.finish()
    }

    private fun placing(checks: Checks, base: Path) {
        val one = library("one")
        val file = NativeFiles.place(base, one)
        checks.equal("the bytes are there", Files.readString(file), "one")
        checks.equal("the directory is named by the hash", file.parent.fileName.toString(), one.target.sha256.take(16))
        checks.equal("the same bytes have the same place", NativeFiles.place(base, one), file)
        checks.holds("other bytes have another", NativeFiles.place(base, library("two")) != file)
        val open = Files.newInputStream(file)
        open.read()
        val before = key(file)
        checks.holds("a good file stays the same file", NativeFiles.place(base, one) == file && key(file) == before)
        for (wrong in listOf("onX", "on", "")) {
            Files.writeString(file, wrong)
            NativeFiles.place(base, one)
            checks.equal("what a crash left under the name is replaced", Files.readString(file), "one")
            checks.holds("by another file, not in place", key(file) != before)
        }
        open.close()
        checks.equal("nothing temporary is left", names(file.parent), setOf("libauk.so"))
        val unopened = PackedLibrary(one.target) { throw IOException("nobody should unpack") }
        checks.equal("a file that is there is not unpacked again", NativeFiles.place(base, unopened), file)
        val blocked = base.resolve("blocked").also { Files.writeString(it, "a file where a directory should be") }
        checks.holds("a place that cannot be written is an IOException", runCatching { NativeFiles.place(blocked, one) }.exceptionOrNull() is IOException)
        checks.holds("a volume with room is not full", !NativeFiles.isFull(base.resolve("not/yet/there"), 1))
        checks.holds("more than there is does not fit", NativeFiles.isFull(base, Int.MAX_VALUE) || Files.getFileStore(base).usableSpace > Int.MAX_VALUE)
    }

    private fun racing(checks: Checks, base: Path) {
        val text = "x".repeat(1 shl 20)
        val places = List(8) { arrayOfNulls<Path>(1) }
        places.map { place -> thread { place[0] = NativeFiles.place(base, library(text)) } }.forEach(Thread::join)
        val file = places[0][0]!!
        checks.holds("all who extract at once have the same file", places.all { it[0] == file } && Files.readString(file) == text)
        checks.equal("and nothing else is left of it", names(file.parent), setOf("libauk.so"))
    }

    private fun unpacking(checks: Checks) {
        checks.equal("a library unpacks to what it was", library("one").bytes().decodeToString(), "one")
        val other = PackedLibrary(library("one").target) { packed("two").inputStream() }
        checks.holds("other bytes are refused", damaged(other))
        checks.holds("and more bytes as well", damaged(PackedLibrary(library("one").target) { packed("one more").inputStream() }))
        val packed = packed("one")
        checks.holds("a cut-off file is refused", damaged(PackedLibrary(library("one").target) { packed.copyOf(packed.size / 2).inputStream() }))
        checks.holds("a file that is not packed is refused", damaged(PackedLibrary(library("one").target) { "one".byteInputStream() }))
    }

    private fun copying(checks: Checks, base: Path) {
        val file = NativeFiles.place(base, library("one"))
        val copy = NativeFiles.copy(file)
        checks.equal("a copy has the bytes", Files.readString(copy), "one")
        checks.holds("and is another file", key(copy) != key(file))
        val second = NativeFiles.copy(file)
        checks.holds("a copy that another JVM may be about to load stays", Files.exists(copy))
        age(second)
        NativeFiles.copy(file)
        checks.holds("one of yesterday is removed by the next", Files.exists(copy) && !Files.exists(second))
        val temporary = NativeFiles.placeTemporarily(library("one"))
        checks.holds("a temporary place is another each time", NativeFiles.placeTemporarily(library("one")) != temporary)
    }

    private fun tidying(checks: Checks, base: Path) {
        val used = NativeFiles.place(base, library("used"))
        val old = NativeFiles.place(base, library("old"))
        val fresh = NativeFiles.place(base, library("another server's"))
        val crashed = NativeFiles.place(base, library("crashed"))
        Files.delete(crashed)
        val parts = listOf(crashed.resolveSibling("libauk.so1.part"), used.resolveSibling("libauk.so2.part"), used.resolveSibling("copy-3-libauk.so"))
        parts.forEach { Files.writeString(it, "half") }
        val foreign = NativeFiles.place(base, library("with a guest"))
        val guest = foreign.resolveSibling("notes.txt").also { Files.writeString(it, "somebody's own") }
        val stranger = Files.createDirectories(base.resolve("not-a-hash")).resolve("libauk.so").also { Files.writeString(it, "somebody's own") }
        val writing = used.resolveSibling("libauk.so4.part").also { Files.writeString(it, "half") }
        (listOf(used, old, crashed.parent, old.parent, foreign, foreign.parent, guest, stranger, stranger.parent, used.parent) + parts).forEach(::age)
        NativeLeftovers.remove(base, used.parent)
        checks.holds("the library in use stays, however old", Files.exists(used))
        checks.holds("an old one goes, with its directory", !Files.exists(old.parent))
        checks.holds("one of today stays", Files.exists(fresh))
        checks.holds("what crashes left goes", parts.none(Files::exists) && !Files.exists(crashed.parent))
        checks.holds("what is being written stays", Files.exists(writing))
        checks.holds("a directory with a file of somebody else stays", Files.exists(foreign) && Files.exists(guest))
        checks.holds("a directory of another name stays", Files.exists(stranger))
        NativeFiles.place(base, library("with a guest"))
        checks.holds("a use is a sign of life", System.currentTimeMillis() - Files.getLastModifiedTime(foreign).toMillis() < 3_600_000)
        NativeLeftovers.remove(base.resolve("nowhere"), used.parent)
    }

    private fun tidyingTheTemporary(checks: Checks, temporary: Path) {
        val left = NativeFiles.place(temporary.resolve("auk-native-1"), library("left"))
        val running = NativeFiles.place(temporary.resolve("auk-native-2"), library("running"))
        val foreign = Files.createDirectories(temporary.resolve("auk-native-3")).resolve("notes.txt").also { Files.writeString(it, "somebody's own") }
        listOf(left, left.parent, left.parent.parent, foreign, foreign.parent).forEach(::age)
        NativeLeftovers.removeTemporary(temporary)
        checks.equal("what no JVM took along goes, and nothing else", names(temporary), setOf("auk-native-2", "auk-native-3"))
        checks.holds("with what is in it", Files.exists(running) && Files.exists(foreign))
    }

    private fun mounts(checks: Checks) {
        val table = """
            24 30 0:22 / /proc rw,nosuid,nodev,noexec - proc proc rw
            30 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
            41 30 0:39 / /srv/my\040worlds rw,noexec - tmpfs tmpfs rw
            42 41 0:40 / /srv/my\040worlds/good rw - tmpfs tmpfs rw
            43 30 0:41 / /tmp rw - tmpfs tmpfs rw
            44 43 0:42 / /tmp rw,nosuid,noexec,relatime - tmpfs tmpfs rw
        """.trimIndent()
        val forbidden = listOf("/srv/my worlds/a", "/srv/my worlds", "/tmp/x/libauk.so", "/proc/1")
        val allowed = listOf("/srv/my worlds/good/a", "/srv/my", "/srv/my worlds too/a", "/", "/tmpx")
        checks.equal("volumes without a right to run", (forbidden + allowed).filter { Mounts.forbidRunning(table, Path.of(it)) }, forbidden)
        checks.holds("no table says nothing", !Mounts.forbidRunning("", Path.of("/a")))
    }

    private fun refusing(checks: Checks) {
        var now = 0L
        val refusals = Repeats { now }
        checks.equal("the first refusal is reported", refusals.count(), 1L)
        checks.equal("the next ones are not", List(3) { refusals.count() }, listOf(0L, 0L, 0L))
        now = 60_000_000_000
        checks.equal("after a minute they are, with that one", refusals.count(), 4L)
        checks.equal("and then again not", refusals.count(), 0L)
        checks.equal("the end reports the rest", refusals.drain(), 1L)
        val failures = Repeats { now }
        val said = mutableListOf<String>()
        repeat(3) { failures.report("it failed", said::add) }
        checks.equal("a failure is said once", said, listOf("it failed"))
        now += 60_000_000_000
        failures.report("it failed", said::add)
        checks.equal("and a minute later with how many there were", said.last(), "it failed (2 more since the last such line)")
    }

    private fun library(text: String): PackedLibrary {
        val sha256 = NativeFiles.hash(text.byteInputStream())
        val crc32 = CRC32().apply { update(text.toByteArray()) }.value
        val target = NativeTarget("linux", "x86_64", "gnu", "libauk.so", sha256, text.length, crc32)
        return PackedLibrary(target) { packed(text).inputStream() }
    }

    private fun packed(text: String): ByteArray {
        val bytes = ByteArrayOutputStream()
        XZOutputStream(bytes, LZMA2Options(0)).use { it.write(text.toByteArray()) }
        return bytes.toByteArray()
    }

    private fun damaged(library: PackedLibrary) = runCatching { library.bytes() }.exceptionOrNull() is PackedLibrary.DamagedException

    /** Makes a file of two days ago of it. */
    private fun age(path: Path) = Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusSeconds(172_800)))

    private fun names(directory: Path) = directory.toFile().list()?.toSet()

    private fun key(file: Path): Any? = Files.readAttributes(file, BasicFileAttributes::class.java).fileKey()
}
