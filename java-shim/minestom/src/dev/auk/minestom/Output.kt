package dev.auk.minestom

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import net.minestom.server.MinecraftServer

/** The JSON lines on standard output, which whoever started the server reads. */
internal object Output {
    /** Clients can join at [port]. */
    fun listening(port: Int) = print(
        JsonObject().apply {
            addProperty("type", "listening")
            addProperty("port", port)
            addProperty("minecraft", AukServer.MINECRAFT)
            addProperty("protocol", MinecraftServer.PROTOCOL_VERSION)
        },
    )

    /** The bridge's condition, as `Bridge.status` gives it. */
    fun status(status: String) = print(
        JsonObject().apply {
            addProperty("type", "status")
            add("status", JsonParser.parseString(status))
        },
    )

    @Synchronized
    private fun print(line: JsonObject) = println(line)
}
