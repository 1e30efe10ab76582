package dev.auk.game

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.util.IdentityHashMap

/** Reaches into the mod by reflection: finds what its listeners hold, and asks it. */
internal class Probe(private val loader: ClassLoader, private val roots: () -> List<Any>) {
    /** The object of this class that the listeners hold, over any number of steps through the mod's own objects. */
    fun find(name: String): Any {
        val type = loader.loadClass(name)
        val seen = IdentityHashMap<Any, Unit>()
        val next = ArrayDeque(roots())
        while (true) {
            val here = next.removeFirstOrNull() ?: throw AssertionError("no listener holds a $name")
            if (type.isInstance(here)) return here
            if (seen.put(here, Unit) == null) next.addAll(held(here))
        }
    }

    /** The names of the methods of an interface of the mod's. */
    fun methods(name: String): List<String> = loader.loadClass(name).methods.map { it.name }.distinct().sorted()

    /** Calls a method of the found object of an interface of the mod's; texts become constants of an enum where it wants those. */
    fun call(name: String, method: String, arguments: List<Any>): JsonElement {
        val target = find(name)
        val found = loader.loadClass(name).methods.single { it.name == method }
        val values = found.parameterTypes.zip(arguments) { type, value ->
            if (type.isEnum) type.enumConstants.single { it.toString() == value } else value
        }
        return try {
            render(found.invoke(target, *values.toTypedArray()))
        } catch (e: InvocationTargetException) {
            throw e.targetException
        }
    }

    /** A value of the mod's as JSON: an object by its getters. */
    fun render(value: Any?): JsonElement = when (value) {
        null -> JsonNull.INSTANCE
        is Boolean -> JsonPrimitive(value)
        is Number -> JsonPrimitive(value)
        is String -> JsonPrimitive(value)
        is Iterable<*> -> JsonArray().apply { value.forEach { add(render(it)) } }
        else -> JsonObject().apply {
            for (getter in value.javaClass.methods.filter(::isGetter)) {
                add(getter.name.removePrefix("get").replaceFirstChar(Char::lowercase), render(getter.invoke(value)))
            }
        }
    }

    private fun isGetter(method: Method) =
        method.parameterCount == 0 && method.name.startsWith("get") && method.name != "getClass" && !Modifier.isStatic(method.modifiers)

    private fun held(value: Any): List<Any> = generateSequence<Class<*>>(value.javaClass) { it.superclass }
        .filter { it.name.startsWith("dev.auk.") && !it.name.startsWith("dev.auk.standin.") }
        .flatMap { it.declaredFields.asSequence() }
        .filter { !it.type.isPrimitive && !Modifier.isStatic(it.modifiers) }
        .mapNotNull { field ->
            field.isAccessible = true
            field.get(value)
        }.toList()
}
