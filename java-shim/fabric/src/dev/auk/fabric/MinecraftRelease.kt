package dev.auk.fabric

/**
 * A release of Minecraft by its numbers. A pre-release counts as the release that it leads to, because its members are those of that
 * release.
 */
class MinecraftRelease private constructor(private val numbers: List<Int>, private val text: String) {
    /** Whether this is [release], such as `1.21.11`, or a later one. */
    fun isAtLeast(release: String): Boolean {
        val other = parse(release).numbers
        for (index in 0 until maxOf(numbers.size, other.size)) {
            val difference = numbers.getOrElse(index) { 0 } - other.getOrElse(index) { 0 }
            if (difference != 0) return difference > 0
        }
        return true
    }

    /** As it was given. */
    override fun toString(): String = text

    companion object {
        /** Reads a version as Fabric Loader normalises it, such as `1.21.11`, `1.21.11-rc.1` or `26.1`. */
        fun parse(version: String): MinecraftRelease {
            val release = version.substringBefore('-').substringBefore('+')
            return MinecraftRelease(release.split('.').map { it.toIntOrNull() ?: 0 }, version)
        }
    }
}
