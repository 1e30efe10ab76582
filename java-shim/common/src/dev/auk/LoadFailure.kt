package dev.auk

/** One place where the library was looked for, and what was wrong there. */
internal data class Attempt(val place: String, val failure: LoadFailure)

/** Why the native library is not there, by what somebody can do about it. */
internal sealed interface LoadFailure {
    /** No library is made for this machine. */
    data class Unsupported(val reason: NativeTarget.Reason) : LoadFailure

    /** The jar carries none for this machine. */
    data class NotInJar(val resource: String) : LoadFailure

    /** The file of `-Dauk.native.file` is not there. */
    data class NoSuchFile(val name: String) : LoadFailure

    /** The directory cannot be written. */
    data class NotWritable(val detail: String) : LoadFailure

    /** The directory lies on a volume from which nothing may be run. */
    data class NotExecutable(val detail: String) : LoadFailure

    /** The system's libraries are older than the library needs. */
    data class SystemTooOld(val detail: String) : LoadFailure

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
        /** Reads the system's [words], which are the same in every language of the JVM. */
        fun of(words: String): LoadFailure {
            val lower = words.lowercase()
            return when {
                NOT_EXECUTABLE.any(lower::contains) -> NotExecutable(words)
                TOO_OLD.any(lower::contains) -> SystemTooOld(words)
                FORBIDDEN.any(lower::contains) -> Forbidden(words)
                else -> Damaged(words)
            }
        }

        private val NOT_EXECUTABLE = listOf("failed to map segment", "operation not permitted", "permission denied")
        private val TOO_OLD = listOf("glibc_", "symbol not found", "undefined symbol", "error relocating")
        private val FORBIDDEN = listOf("native access", "enable-native-access")

        private fun oneLine(text: String): String = text.replace(Regex("\\s+"), " ").trim()
    }
}
