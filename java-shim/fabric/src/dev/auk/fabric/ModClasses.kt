package dev.auk.fabric

import java.nio.file.Files
import java.nio.file.Path

/**
 * The mod's own classes. The first event of each kind would otherwise load those that it needs on the server's thread, and a class out of a
 * jar takes a third of a millisecond.
 *
 * @param roots the directories that the mods' jars are to Java
 */
class ModClasses(private val roots: List<Path>) {
    /**
     * Loads and verifies all of them. None is initialized: two threads that initialize a class and its subclass can wait for each other for
     * ever. A class that does not fit this version of the game is passed over, since nothing here will use it, and so is a jar that cannot be
     * listed: its classes come later and cost their time.
     */
    fun load() = roots.flatMap { runCatching { names(it) }.getOrDefault(emptyList()) }.forEach(::load)

    /** HotSpot verifies a class before it tells of its members. */
    private fun load(name: String) {
        runCatching { Class.forName(name, false, javaClass.classLoader).declaredConstructors }
    }

    private fun names(root: Path): List<String> = Files.walk(root).use { files ->
        files.map { root.relativize(it).joinToString(".") }.filter { it.endsWith(CLASS) && !it.startsWith(UNPACKER) }.toList()
    }.map { it.removeSuffix(CLASS) }

    private companion object {
        const val CLASS = ".class"

        /** A library that is needed once in a version's life, and never on the server's thread. */
        const val UNPACKER = "dev.auk.lib.xz."
    }
}
