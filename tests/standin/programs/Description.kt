package dev.auk.game

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.nio.file.Files
import java.nio.file.Path

/** What a run is made of, as the test writes it into a file: a game, the mods that a loader chose for it, and where things are. */
internal class Description private constructor(json: JsonObject) {
    /** The version of Minecraft as the loader gives it. */
    val minecraft: String = json["minecraft"].asString

    /** How the game's members are named while it runs. */
    val namespace: String = json["namespace"].asString

    /** The jars that the game brings for itself and its mods. */
    val libraries: List<Path> = json["libraries"].asJsonArray.map(::path)

    /** The directory of the game's classes. */
    val game: Path = path(json["game"])

    /** The jars of the mod and of the mods in it that the loader chose, by their ids. */
    val jars: Map<String, Path> = json["jars"].asJsonObject.entrySet().associate { it.key to path(it.value) }

    /** The loaded mods with their versions. */
    val mods: Map<String, String> = json["mods"].asJsonObject.entrySet().associate { it.key to it.value.asString }

    /** The classes of each kind of entry point. */
    val entryPoints: Map<String, List<String>> =
        json["entry_points"].asJsonObject.entrySet().associate { (key, classes) -> key to classes.asJsonArray.map { it.asString } }

    /** The server's directory. */
    val directory: Path = path(json["directory"])

    companion object {
        /** Reads the description in [file]. */
        fun read(file: Path) = Description(JsonParser.parseString(Files.readString(file)).asJsonObject)

        private fun path(element: JsonElement) = Path.of(element.asString)
    }
}
