package dev.auk

/** Auk's version, as the build writes it into the jar. */
internal object Version {
    /** Such as `0.1.0`; `unknown` in classes that were never packed. */
    val current: String =
        Version::class.java.classLoader.getResourceAsStream("META-INF/auk/version")?.use { it.readBytes().toString(Charsets.UTF_8).trim() } ?: "unknown"
}
