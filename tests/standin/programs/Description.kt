package dev.auk.game

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.nio.file.Files
import java.nio.file.Path

/** A method of the game by its name at run time. */
internal data class MethodName(val owner: String, val name: String)

/** What a run is made of, as the test writes it into a file: a game, the mods that a loader chose for it, and where things are. */
internal class Description private constructor(json: JsonObject) {
    /** The version of Minecraft as the loader gives it. */
    val minecraft: String = json["minecraft"].asString

    /** How the game's members are named while it runs. */
    val namespace: String = json["namespace"].asString

    /** The jars that the game brings for itself and its mods. */
    val libraries: List<Path> = json["libraries"].asJsonArray.map(::path)

    /** The game's classes, the mod and the mods in it. */
    val path: List<Path> = json["path"].asJsonArray.map(::path)

    /** The loaded mods with their versions. */
    val mods: Map<String, String> = json["mods"].asJsonObject.entrySet().associate { it.key to it.value.asString }

    /** The classes of each kind of entry point. */
    val entryPoints: Map<String, List<String>> =
        json["entry_points"].asJsonObject.entrySet().associate { (key, classes) -> key to classes.asJsonArray.map { it.asString } }

    /** What mods implement and the game calls, by the readable name. */
    val methods: Map<String, MethodName> = json["methods"].asJsonObject.entrySet().associate { (readable, method) ->
        readable to MethodName(method.asJsonObject["owner"].asString, method.asJsonObject["name"].asString)
    }

    /** The server's directory. */
    val directory: Path = path(json["directory"])

    companion object {
        /** Reads the description in [file]. */
        fun read(file: Path) = Description(JsonParser.parseString(Files.readString(file)).asJsonObject)

        private fun path(element: JsonElement) = Path.of(element.asString)
    }
}
