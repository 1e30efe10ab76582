package dev.auk.game

import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Proxy

/** The generated classes of one version of the game, reached by the names that a member has in all versions. */
internal class Things(private val loader: ClassLoader, private val turns: Turns) {
    private val hooks = loader.loadClass("dev.auk.standin.Hooks")
    private val thing = loader.loadClass("dev.auk.standin.Thing")
    private val create = hooks.getMethod("create", String::class.java)
    private val has = hooks.getMethod("has", String::class.java)
    private val ask = hooks.getMethod("ask", String::class.java, Any::class.java, Array<Any>::class.java)
    private val data = thing.getField("data")
    private val set = thing.getMethod("set", String::class.java, Any::class.java)

    /** Lets [members] answer for the game. */
    fun play(members: Members) {
        val type = loader.loadClass("dev.auk.standin.Game")
        val game = Proxy.newProxyInstance(loader, arrayOf(type)) { _, method, arguments ->
            turns.game {
                when (method.name) {
                    "call" -> members.call(arguments[0], arguments[1] as String, (arguments[2] as Array<*>).toList())
                    "field" -> members.field(arguments[1] as String)
                    else -> throw AssertionError("the game has no ${method.name}")
                }
            }
        }
        hooks.getField("game").set(null, game)
    }

    /** Whether this version has the class with this [readable] name. */
    fun has(readable: String): Boolean = has.invoke(null, readable) as Boolean

    /** An object of the class with this [readable] name. */
    fun create(readable: String): Any = unwrapped { create.invoke(null, readable) }

    /** The same, remembering [value] under [key]. */
    fun create(readable: String, key: String, value: Any?): Any = create(readable).also { data(it)[key] = value }

    /** What is remembered of an object of the game. */
    @Suppress("UNCHECKED_CAST")
    fun data(thing: Any): MutableMap<String, Any?> = data.get(thing) as MutableMap<String, Any?>

    /** What is remembered of an object under [key]; it must be there. */
    inline fun <reified T> data(thing: Any?, key: String): T {
        val value = data(thing ?: throw AssertionError("null where something with $key belongs"))[key]
        return value as? T ?: throw AssertionError("$thing has $value as its $key")
    }

    /** Sets a field. Answers whether this version has it. */
    fun set(thing: Any, what: String, value: Any): Boolean = try {
        unwrapped { set.invoke(thing, what, value) }
        true
    } catch (_: AssertionError) {
        false
    }

    /** Calls a method that a mod implements. */
    fun ask(target: Any, what: String, vararg arguments: Any?): Any? = unwrapped { turns.mod { ask.invoke(null, what, target, arguments) } }

    private inline fun <T> unwrapped(action: () -> T): T = try {
        action()
    } catch (e: InvocationTargetException) {
        throw e.targetException
    }
}
