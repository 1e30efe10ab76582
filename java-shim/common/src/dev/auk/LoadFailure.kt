package dev.auk

/** One place where the library was looked for, and what was wrong there. */
internal data class Attempt(val place: String, val failure: LoadFailure)

/** Why the native library is not there, by what somebody can do about it. */
internal sealed interface LoadFailure {
    /** No library is made for this machine. */
    data class Unsupported(val reason: NativeTarget.Reason) : LoadFailure

    /** There is a library for [platform], but the jar does not carry it. */
    data class NotInJar(val platform: String) : LoadFailure

    /** The jar does not hold what it says that it holds. */
    data class DamagedJar(val detail: String) : LoadFailure

    /** The file of `-Dauk.native.file` is not there. */
    data class NoSuchFile(val name: String) : LoadFailure

    /** The directory cannot be written. */
    data class NotWritable(val detail: String) : LoadFailure

    /** The volume of the directory is full; the library takes [bytes]. */
    data class NoRoom(val bytes: Int, val detail: String) : LoadFailure

    /** The directory lies on a volume from which nothing may be run. */
    data class NotExecutable(val detail: String) : LoadFailure

    /** The system's libraries are older than the library needs. */
    data class SystemTooOld(val detail: String) : LoadFailure

    /** The library was made for the other libc: musl and not glibc, or the other way. */
    data class OtherLibc(val detail: String) : LoadFailure

    /** The file is a library for [found], and this machine is a [needed]; both as the table of libraries names them. */
    data class OtherPlatform(val found: String, val needed: String) : LoadFailure

    /** The file begins like no library. */
    data object NoLibrary : LoadFailure

    /** The file ends before the library does. */
    data class CutOff(val bytes: Long) : LoadFailure

    /** Java was told to let nothing load native code. */
    data class Forbidden(val detail: String) : LoadFailure

    /** The system refuses the file for another reason, such as damage. */
    data class Damaged(val detail: String) : LoadFailure

    /** The library is not Auk's. */
    data object NotOurs : LoadFailure

    /** The library belongs to another version of Auk: it speaks border number [found]. */
    data class OtherAbi(val found: Int) : LoadFailure

    /** What may still work after a failure. */
    enum class Next {
        /** The same library in another directory. */
        PLACE,

        /** Another library. */
        LIBRARY,

        /** Nothing in this JVM. */
        NOTHING,
    }

    /** What is worth a try after this failure. */
    val next: Next
        get() = when (this) {
            is NotWritable, is NoRoom, is NotExecutable, is Damaged -> Next.PLACE
            is DamagedJar, is SystemTooOld, is OtherLibc, is OtherPlatform, NoLibrary, is CutOff -> Next.LIBRARY
            is Unsupported, is NotInJar, is NoSuchFile, is Forbidden, NotOurs, is OtherAbi -> Next.NOTHING
        }

    /** The three lines for the log: what is wrong, what was tried, what to do. */
    fun unavailable(attempts: List<Attempt>): NativeLoad.Unavailable {
        val texts = ShimTexts.current()
        val system = listOf("os.name", "os.arch", "java.version").joinToString(" ") { System.getProperty(it, "?") }
        val tried = if (attempts.size == 1) attempts[0].place else attempts.joinToString("; ") { "${it.place}: ${texts.cause(it.failure)}" }
        return NativeLoad.Unavailable(
            listOfNotNull(texts.off(system, texts.cause(this)), tried.ifEmpty { null }?.let(texts::tried), texts.advice(this)).map(::oneLine),
        )
    }

    companion object {
        /**
         * Reads the system's [words], which may be in the operator's language but for the names in them: why a library that was [made]
         * for a libc, where that is known, does not load in a JVM that runs on [running].
         */
        fun of(words: String, made: String, running: String): LoadFailure {
            val lower = words.lowercase()
            return when {
                NOT_EXECUTABLE.any(lower::contains) -> NotExecutable(words)
                FORBIDDEN.any(lower::contains) -> Forbidden(words)
                made.isNotEmpty() && made != running -> OtherLibc(words)
                TOO_OLD.any(lower::contains) -> SystemTooOld(words)
                OTHER_LIBC.any(lower::contains) -> OtherLibc(words)
                else -> Damaged(words)
            }
        }

        private val NOT_EXECUTABLE = listOf("failed to map segment", "operation not permitted", "permission denied")
        private val TOO_OLD = listOf("glibc_", "symbol not found", "undefined symbol", "error relocating")

        /** What either dynamic linker says when it looks for the other one's libraries, or takes a linker script for its libc. */
        private val OTHER_LIBC = listOf("invalid elf header", "libc.so: ", "libc.musl", "ld-musl", "ld-linux", "libc.so.6", "libgcc_s")
        private val FORBIDDEN = listOf("native access", "enable-native-access")

        private fun oneLine(text: String): String = text.replace(Regex("\\s+"), " ").trim()
    }
}
