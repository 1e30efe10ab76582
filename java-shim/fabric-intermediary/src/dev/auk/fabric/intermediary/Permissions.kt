package dev.auk.fabric.intermediary

import net.minecraft.class_12087
import net.minecraft.class_12099

/** Who may do what. 1.21.11 replaced the numbers by named permissions. */
internal interface Permissions {
    /** Whether [source] has the operator level [level], from 1 to 4. */
    fun hasLevel(source: ServerCommandSource, level: Int): Boolean
}

/** Up to 1.21.10: `hasPermissionLevel`. */
internal object LevelPermissions : Permissions {
    override fun hasLevel(source: ServerCommandSource, level: Int): Boolean = source.method_9259(level)
}

/** 1.21.11: one permission a level, from `MODERATORS` to `OWNERS`. */
internal object NamedPermissions : Permissions {
    override fun hasLevel(source: ServerCommandSource, level: Int): Boolean = source.method_75037().hasPermission(permission(level))

    private fun permission(level: Int): class_12087 = when (level) {
        1 -> class_12099.field_63209
        2 -> class_12099.field_63210
        3 -> class_12099.field_63211
        else -> class_12099.field_63212
    }
}
