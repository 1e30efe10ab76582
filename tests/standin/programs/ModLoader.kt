package dev.auk.game

import java.net.URL
import java.net.URLClassLoader
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.ConcurrentSkipListSet

/**
 * Loads the game and its mods, apart from this program: above it are only the libraries that a game brings and Java itself. It remembers
 * what of Kotlin was asked for.
 */
internal class ModLoader(path: List<Path>, libraries: List<Path>) :
    URLClassLoader("mods", urls(path), URLClassLoader("game", urls(libraries), getPlatformClassLoader())) {
    /** The classes of a Kotlin that the mod does not carry, which another mod may have in any version. */
    val foreign = ConcurrentSkipListSet<String>()

    /** The classes of the libraries that the mod carries. */
    val packed = ConcurrentSkipListSet<String>()

    /** The mod's classes that the server's thread had to wait for. */
    val late = ConcurrentSkipListSet<String>()

    /** Loads every class in this directory, as one that has long been at work has. */
    fun loadAll(directory: Path) = Files.walk(directory).use { files ->
        val classes = files.map { directory.relativize(it).toString() }.filter { it.endsWith(CLASS) }
        classes.forEach { Class.forName(it.removeSuffix(CLASS).replace('/', '.'), true, this) }
    }

    override fun loadClass(name: String, resolve: Boolean): Class<*> {
        if (name.startsWith("kotlin.")) foreign += name
        if (name.startsWith("dev.auk.lib.")) packed += name
        return super.loadClass(name, resolve)
    }

    override fun findClass(name: String): Class<*> {
        if (Thread.currentThread().name == ServerThread.NAME && name.startsWith("dev.auk.")) late += name
        return super.findClass(name)
    }

    private companion object {
        const val CLASS = ".class"

        init {
            // As Fabric Loader's is: threads of the mod do not wait for each other's classes.
            registerAsParallelCapable()
        }

        fun urls(paths: List<Path>): Array<URL> = paths.map { it.toUri().toURL() }.toTypedArray()
    }
}
