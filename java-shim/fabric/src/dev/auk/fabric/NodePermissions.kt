package dev.auk.fabric

import java.lang.reflect.Method
import java.lang.reflect.Modifier
import net.fabricmc.loader.api.FabricLoader
import org.slf4j.LoggerFactory

/**
 * What a permissions mod says about a node such as `auk.command.status`. Asked through `fabric-permissions-api-v0`, which permissions
 * mods carry with them; looked up by name, so that Auk neither needs it nor ships it.
 */
internal class NodePermissions private constructor(private val checks: List<Method>) {
    private var failed = false

    /** Whether [source] may use [node]; where no mod has an answer, whether it [hasLevel]. */
    fun allow(source: Any, node: String, hasLevel: Boolean): Boolean {
        val check = checks.firstOrNull { it.parameterTypes[0].isInstance(source) } ?: return hasLevel
        return try {
            check.invoke(null, source, node, hasLevel) as Boolean
        } catch (e: ReflectiveOperationException) {
            complain(e)
            hasLevel
        }
    }

    /** A permission check runs for every player who joins; one line about a broken one is enough. */
    @Synchronized
    private fun complain(cause: Exception) {
        if (!failed) LoggerFactory.getLogger("auk").warn(FabricTexts.current().permissionsBroken(cause.cause?.toString() ?: cause.toString()))
        failed = true
    }

    companion object {
        private const val MOD = "fabric-permissions-api-v0"
        private const val API = "me.lucko.fabric.api.permissions.v0.Permissions"

        /** Finds the API, if a mod brought it. */
        fun find(loader: FabricLoader): NodePermissions {
            if (!loader.isModLoaded(MOD)) return NodePermissions(emptyList())
            return try {
                NodePermissions(Class.forName(API).methods.filter(::isCheck))
            } catch (e: ClassNotFoundException) {
                NodePermissions(emptyList()).also { it.complain(e) }
            }
        }

        /** `check(source, node, default)`; the type of the source has other names in other versions. */
        private fun isCheck(method: Method): Boolean =
            method.name == "check" &&
                Modifier.isStatic(method.modifiers) &&
                method.parameterTypes.drop(1) == listOf(String::class.java, Boolean::class.javaPrimitiveType)
    }
}
