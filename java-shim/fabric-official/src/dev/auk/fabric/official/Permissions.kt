package dev.auk.fabric.official

import net.minecraft.commands.CommandSourceStack
import net.minecraft.server.permissions.Permission
import net.minecraft.server.permissions.Permissions

/**
 * Whether this source has the operator level [level], from 1 to 4. The game has one named permission a level; level 1 grants no command
 * of the game's own, so it is counted as level 2.
 */
internal fun CommandSourceStack.hasLevel(level: Int): Boolean = permissions().hasPermission(permission(level))

private fun permission(level: Int): Permission = when (level) {
    1, 2 -> Permissions.COMMANDS_GAMEMASTER
    3 -> Permissions.COMMANDS_ADMIN
    else -> Permissions.COMMANDS_OWNER
}
