package dev.auk.fabric.intermediary

/** A player's connection. 1.20.2 moved it into a handler that the configuration phase shares. */
internal interface Connections {
    /** The round trip in milliseconds. */
    fun latencyMs(player: ServerPlayerEntity): Int

    /** Ends the connection with a text to read. */
    fun disconnect(player: ServerPlayerEntity, reason: Text)
}

/** 1.20.1: the latency is a field of the player, and the play handler disconnects. */
internal object PlayConnections : Connections {
    override fun latencyMs(player: ServerPlayerEntity): Int = player.field_13967

    override fun disconnect(player: ServerPlayerEntity, reason: Text) = player.networkHandler.method_14367(reason)
}

/** 1.20.2 and later: both are the handler's. */
internal object CommonConnections : Connections {
    override fun latencyMs(player: ServerPlayerEntity): Int = player.networkHandler.method_52405()

    override fun disconnect(player: ServerPlayerEntity, reason: Text) = player.networkHandler.method_52396(reason)
}
