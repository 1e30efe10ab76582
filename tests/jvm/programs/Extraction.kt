package dev.auk.programs

import dev.auk.NativeFiles
import dev.auk.Refusals
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path

/** Where extracted libraries go, and that no file is ever written over. The argument is an empty directory. */
internal object Extraction {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val directory = Path.of(arguments[0])
        val checks = Checks()
        placing(checks, directory)
        copying(checks, directory)
        refusing(checks)
        checks.finish()
    }

    private fun placing(checks: Checks, directory: Path) {
        val bytes = source("one")
        val file = NativeFiles.place(directory, "libauk.so", bytes)
        checks.equal("the bytes are there", Files.readString(file), "one")
        checks.equal("the directory is named by the hash", file.parent.fileName.toString(), NativeFiles.hash(bytes()).take(16))
        checks.equal("the same bytes have the same place", NativeFiles.place(directory, "libauk.so", bytes), file)
        checks.holds("other bytes have another", NativeFiles.place(directory, "libauk.so", source("two")) != file)
        val open = Files.newInputStream(file)
        open.read()
        val before = key(file)
        checks.holds("a good file stays the same file", NativeFiles.place(directory, "libauk.so", bytes) == file && key(file) == before)
        Files.writeString(file, "onX")
        NativeFiles.place(directory, "libauk.so", bytes)
        checks.equal("a damaged file is replaced", Files.readString(file), "one")
        checks.holds("by another file, not in place", key(file) != before)
        open.close()
        checks.equal("nothing temporary is left", file.parent.toFile().list()?.toList(), listOf("libauk.so"))
        val blocked = directory.resolve("blocked").also { Files.writeString(it, "a file where a directory should be") }
        checks.holds("a place that cannot be written is an IOException", runCatching { NativeFiles.place(blocked, "libauk.so", bytes) }.exceptionOrNull() is IOException)
    }

    private fun copying(checks: Checks, directory: Path) {
        val file = NativeFiles.place(directory, "libauk.so", source("one"))
        val copy = NativeFiles.copy(file)
        checks.equal("a copy has the bytes", Files.readString(copy), "one")
        checks.holds("and is another file", key(copy) != key(file))
        val second = NativeFiles.copy(file)
        val temporary = NativeFiles.placeTemporarily("libauk.so", source("one"))
        checks.holds("a temporary place is another each time", NativeFiles.placeTemporarily("libauk.so", source("one")) != temporary)
        checks.holds("an older copy is removed by the next", !Files.exists(copy) && Files.exists(second))
    }

    private fun refusing(checks: Checks) {
        var now = 0L
        val refusals = Refusals { now }
        checks.equal("the first refusal is reported", refusals.count(), 1L)
        checks.equal("the next ones are not", List(3) { refusals.count() }, listOf(0L, 0L, 0L))
        now = 60_000_000_000
        checks.equal("after a minute they are, with that one", refusals.count(), 4L)
        checks.equal("and then again not", refusals.count(), 0L)
        checks.equal("the end reports the rest", refusals.drain(), 1L)
    }

    private fun source(text: String) = { text.byteInputStream() }

    private fun key(file: Path): Any? = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes::class.java).fileKey()
}
