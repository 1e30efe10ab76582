package dev.auk

import java.io.IOException
import java.io.InputStream
import org.tukaani.xz.XZInputStream

/** A library as the jar holds it, packed with xz; [open] opens the packed bytes. */
internal class PackedLibrary(val target: NativeTarget, private val open: () -> InputStream) {
    /** The jar does not hold what its own table promises. */
    class DamagedException(message: String, cause: Throwable? = null) : IOException(message, cause)

    private val unpacked by lazy(::unpack)

    /** The library's bytes, of the hash and size that the table names. They are unpacked once, and only when somebody asks. */
    @Throws(DamagedException::class)
    fun bytes(): ByteArray = unpacked

    private fun unpack(): ByteArray {
        val bytes = try {
            // One byte more than there should be shows that there are more; a damaged file could unpack without an end.
            open().use { XZInputStream(it, MEMORY_KIB_MAX).use { stream -> stream.readNBytes(target.bytes + 1) } }
        } catch (e: IOException) {
            throw DamagedException("${target.resource}: $e", e)
        }
        if (bytes.size != target.bytes || NativeFiles.hash(bytes.inputStream()) != target.sha256) {
            throw DamagedException("${target.resource} unpacks to something else than it was")
        }
        return bytes
    }

    private companion object {
        /** The build packs with a dictionary as large as the library, which is a few MiB. */
        const val MEMORY_KIB_MAX = 128 * 1024
    }
}
