package dev.auk.game

/** Fabric API's events, and who listens. */
internal class FabricEvents(private val things: Things, private val measure: (String, () -> Unit) -> Unit) {
    private val listeners = HashMap<String, MutableList<Any>>()

    /** Everybody who listens to anything. */
    val all: List<Any> get() = listeners.values.flatten()

    /** The names of the events that somebody listens to. */
    val names: List<String> get() = listeners.keys.sorted()

    /** Tells all who listen to [event], by the [method] of its interface. */
    fun fire(event: String, method: String, vararg arguments: Any?) {
        for (listener in listeners[event].orEmpty()) measure(event) { things.ask(listener, method, *arguments) }
    }

    /** Plays the members of events. */
    fun play(members: Members) {
        members.on("Event.register") { self, (listener) ->
            listeners.getOrPut(things.data(self, "name")) { mutableListOf() } += listener!!
        }
    }
}
