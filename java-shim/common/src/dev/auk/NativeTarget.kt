package dev.auk

/**
 * One library of the jar, as a line of its table `META-INF/auk/natives.tsv` describes it: the system that it is for, the [file] that it
 * is, unpacked, and that file's hash, size and CRC-32.
 */
internal data class NativeTarget(
    val os: String,
    val arch: String,
    val libc: String,
    val file: String,
    val sha256: String,
    val bytes: Int,
    val crc32: Long,
) {
    /** Where the library lies in the jar, packed. */
    val resource: String
        get() = "META-INF/native/$os-$arch${if (libc.isEmpty()) "" else "-$libc"}/$file.xz"

    /** What a search for this machine's library found. */
    sealed interface Choice {
        /** These libraries, the likeliest first. */
        data class Found(val targets: List<NativeTarget>) : Choice

        /** Auk has a library for this [platform], such as `linux-x86_64`, but not in this jar. */
        data class Left(val platform: String) : Choice

        /** There is none, for this [reason]. */
        data class None(val reason: Reason) : Choice
    }

    /** Why there is no library for a machine. */
    enum class Reason { JAVA_OF_32_BITS, WINDOWS_ON_ARM, ANDROID, BSD, UNKNOWN_PROCESSOR, UNKNOWN_SYSTEM }

    companion object {
        private const val HEXADECIMAL = 16

        /** The systems that Auk is built for, as `gradle/natives.toml` has them: with these processors, and no others. */
        private val MADE = mapOf(
            "linux" to setOf("x86_64", "aarch64"),
            "windows" to setOf("x86_64"),
            "macos" to setOf("x86_64", "aarch64"),
        )

        /** Reads the table as the build writes it: a library a line, its seven values between tabs, an empty libc where there is one only. */
        fun table(text: String): List<NativeTarget> = text.lines().filter { it.isNotEmpty() }.map { line ->
            val values = line.split('\t')
            val bytes = values.getOrNull(5)?.toIntOrNull()
            val crc32 = values.getOrNull(6)?.toLongOrNull(HEXADECIMAL)
            require(values.size == 7 && bytes != null && crc32 != null) { "the table of native libraries has a line that is none: $line" }
            NativeTarget(values[0], values[1], values[2], values[3], values[4], bytes, crc32)
        }

        /**
         * Chooses for a machine: [os] and [arch] as the properties `os.name` and `os.arch` give them ("Android" for Android), [libc]
         * `gnu` or `musl`, which matters on Linux only. The other libc comes second: a system may have both.
         */
        fun choose(table: List<NativeTarget>, os: String, arch: String, libc: String): Choice {
            val system = system(os)
            val processor = processor(arch)
            val fitting = table.filter { it.os == system && it.arch == processor }.sortedBy { it.libc.isNotEmpty() && it.libc != libc }
            return when {
                fitting.isNotEmpty() -> Choice.Found(fitting)
                processor in MADE[system].orEmpty() -> Choice.Left("$system-$processor")
                else -> Choice.None(reason(system, processor))
            }
        }

        private fun reason(system: String, processor: String): Reason = when {
            system == "android" -> Reason.ANDROID
            system == "bsd" -> Reason.BSD
            processor == "32-bit" -> Reason.JAVA_OF_32_BITS
            system == "windows" && processor == "aarch64" -> Reason.WINDOWS_ON_ARM
            system in MADE -> Reason.UNKNOWN_PROCESSOR
            else -> Reason.UNKNOWN_SYSTEM
        }

        /** The table's name of the system that Java calls [name]. */
        fun system(name: String): String {
            val lower = name.lowercase()
            return when {
                lower.startsWith("linux") -> "linux"
                lower.startsWith("windows") -> "windows"
                lower.startsWith("mac") || lower.startsWith("darwin") -> "macos"
                lower.startsWith("android") -> "android"
                lower.endsWith("bsd") || lower.startsWith("dragonfly") -> "bsd"
                else -> lower
            }
        }

        /** The table's name of the processor that Java calls [name]. */
        fun processor(name: String): String = when (val lower = name.lowercase()) {
            "amd64", "x86_64", "x86-64", "x64" -> "x86_64"
            "aarch64", "arm64" -> "aarch64"
            "x86", "i386", "i486", "i586", "i686", "arm", "arm32", "armv7l", "armhf", "ppc", "mips", "riscv32" -> "32-bit"
            else -> lower
        }
    }
}
