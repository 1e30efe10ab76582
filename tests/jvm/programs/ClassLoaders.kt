package dev.auk.programs

import dev.auk.Bridge
import java.io.File
import java.net.URLClassLoader
import java.nio.file.Path

/** Uses the library in this class loader and then in a second one, as a server does that loads a mod anew. */
internal object ClassLoaders {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val checks = Checks()
        checks.equal("in the first class loader", oneLife(arguments[0]), "a life")
        checks.equal("in a second class loader", oneLifeElsewhere(arguments[0]), "a life")
        checks.equal("in a third", oneLifeElsewhere(arguments[0]), "a life")
        checks.equal("in the first again", oneLife(arguments[0]), "a life")
        checks.finish()
    }

    /** Opens and ends one bridge; answers `a life`, or why there was none. */
    @JvmStatic
    fun oneLife(directory: String): String {
        val bridge = Bridge(RecordingPort(), Path.of(directory), Path.of(directory))
        bridge.open()
        val answer = if (bridge.status() != null) "a life" else bridge.explain().joinToString(" / ")
        bridge.stopped()
        return answer
    }

    private fun oneLifeElsewhere(directory: String): Any? {
        val jars = System.getProperty("java.class.path").split(File.pathSeparator).map { File(it).toURI().toURL() }
        val loader = URLClassLoader(jars.toTypedArray(), ClassLoader.getPlatformClassLoader())
        val program = Class.forName(ClassLoaders::class.java.name, true, loader)
        return program.getMethod("oneLife", String::class.java).invoke(null, directory)
    }
}
