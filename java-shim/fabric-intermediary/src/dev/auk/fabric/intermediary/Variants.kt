package dev.auk.fabric.intermediary

import dev.auk.fabric.MinecraftRelease

/** What moved between the versions of this adapter, chosen once. */
internal class Variants(val connections: Connections, val console: Console, val permissions: Permissions) {
    companion object {
        /** Those of [minecraft]. */
        fun of(minecraft: MinecraftRelease) = Variants(
            connections = if (minecraft.isAtLeast("1.20.2")) CommonConnections else PlayConnections,
            console = if (minecraft.isAtLeast("1.20.3")) CallbackConsole else CountingConsole,
            permissions = if (minecraft.isAtLeast("1.21.11")) NamedPermissions else LevelPermissions,
        )
    }
}
