package dev.auk.game

import java.nio.file.Files
import java.nio.file.Path
import javax.tools.ToolProvider
import kotlin.system.exitProcess

/**
 * Compiles generated games with the JDK's own compiler, one after the other in one process. The arguments are directories with `sources`,
 * which get `classes`.
 */
internal object GameCompiler {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val compiler = ToolProvider.getSystemJavaCompiler()
        for (game in arguments.map(Path::of)) {
            val files = Files.walk(game.resolve("sources")).use { it.map(Path::toString).toList() }
            val sources = files.filter { it.endsWith(".java") }
            val options = listOf("-nowarn", "-proc:none", "-encoding", "UTF-8", "--release", "17", "-d", game.resolve("classes").toString())
            if (compiler.run(null, System.err, System.err, *(options + sources).toTypedArray()) != 0) exitProcess(1)
        }
    }
}
