package dev.auk

import com.google.gson.JsonObject
import com.google.gson.JsonParser

/**
 * The commands that a server offers: those of [commands], each below the word [root], such as `/auk status`. They come out of the native
 * part's own sources, by way of a resource that the build puts into the jar.
 */
class CommandTree private constructor(val root: String, val commands: List<Command>) {
    /**
     * A command: the word [name] below the root, for those of the permission [level] (0 to 4) and up or, with a permission plugin, of the
     * permission [node]. With an [argument], which is its name, the rest of the line belongs to the command and must not be empty. The
     * [help] is one line in the shim's language.
     */
    data class Command(val name: String, val level: Int, val node: String, val argument: String?, val help: String)

    companion object {
        private const val RESOURCE = "META-INF/auk/commands.json"

        /** Reads the tree. An [IllegalStateException] says that this is no jar that the build has made. */
        fun read(): CommandTree {
            val resource = CommandTree::class.java.classLoader.getResourceAsStream(RESOURCE)
            val text = checkNotNull(resource) { "Auk's jar does not hold $RESOURCE" }.use { it.readBytes().toString(Charsets.UTF_8) }
            val tree = JsonParser.parseString(text).asJsonObject
            return CommandTree(tree["root"].asString, tree["commands"].asJsonArray.map { command(it.asJsonObject) })
        }

        private fun command(entry: JsonObject) = Command(
            entry["name"].asString,
            entry["level"].asInt,
            entry["node"].asString,
            entry["argument"]?.asString,
            entry["help"].asJsonObject[ShimTexts.current().tag].asString,
        )
    }
}
