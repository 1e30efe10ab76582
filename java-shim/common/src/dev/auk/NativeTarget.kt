package dev.auk

/** One line of `gradle/natives.toml`: a system that Auk has a native library for, and the [file] that a loader looks for. */
internal data class NativeTarget(val os: String, val arch: String, val libc: String, val file: String) {
    /** Where the library lies in the jar. */
    val resource: String
        get() = "META-INF/native/$os-$arch${if (libc.isEmpty()) "" else "-$libc"}/$file"

    /** What a search for this machine's library found. */
    sealed interface Choice {
        /** These libraries, the likeliest first. */
        data class Found(val targets: List<NativeTarget>) : Choice

        /** There is none, for this [reason]. */
        data class None(val reason: Reason) : Choice
    }

    /** Why there is no library for a machine. */
    enum class Reason { JAVA_OF_32_BITS, WINDOWS_ON_ARM, ANDROID, BSD, UNKNOWN_SYSTEM }

    companion object {
        /** Reads the table as the build writes it: one target a line, its four values between tabs, an empty libc where there is one only. */
        fun table(text: String): List<NativeTarget> = text.lines().filter { it.isNotEmpty() }.map { line ->
            val values = line.split('\t')
            require(values.size == 4) { "the table of native libraries has a line without four values: $line" }
            NativeTarget(values[0], values[1], values[2], values[3])
        }

        /**
         * Chooses for a machine: [os] and [arch] as the properties `os.name` and `os.arch` give them ("Android" for Android), [libc]
         * `gnu` or `musl`, which matters on Linux only. The other libc comes second: a system may have both.
         */
        fun choose(table: List<NativeTarget>, os: String, arch: String, libc: String): Choice {
            val system = system(os)
            val processor = processor(arch)
            val fitting = table.filter { it.os == system && it.arch == processor }.sortedBy { it.libc.isNotEmpty() && it.libc != libc }
            return if (fitting.isNotEmpty()) Choice.Found(fitting) else Choice.None(reason(system, processor))
        }

        private fun reason(system: String, processor: String): Reason = when {
            system == "android" -> Reason.ANDROID
            system == "bsd" -> Reason.BSD
            processor == "32-bit" -> Reason.JAVA_OF_32_BITS
            system == "windows" && processor == "aarch64" -> Reason.WINDOWS_ON_ARM
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
            "x86", "i386", "i486", "i586", "i686", "arm", "arm32", "armv7l" -> "32-bit"
            else -> lower
        }
    }
}
