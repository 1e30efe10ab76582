package dev.auk.game

/**
 * What answers for each member of the game, by its readable name. A call that nobody plays is an error. A field that nobody plays is null,
 * because a class sets all of its fields when it is first used.
 */
internal class Members(private val report: Report) {
    private val calls = HashMap<String, (Any?, List<Any?>) -> Any?>()
    private val fields = HashMap<String, () -> Any?>()

    /** Calls of [what] are answered by [answer], which gets the object, null for a static member, and the arguments. */
    fun on(what: String, answer: (self: Any?, arguments: List<Any?>) -> Any?) {
        calls[what] = answer
    }

    /** The field [what] begins with [value]. */
    fun field(what: String, value: () -> Any?) {
        fields[what] = value
    }

    /** A call of the game. */
    fun call(self: Any?, what: String, arguments: List<Any?>): Any? {
        val answer = calls[what]
        if (answer == null) {
            report.event("unplayed") { addProperty("member", what) }
            throw AssertionError("nobody plays $what")
        }
        return answer(self, arguments)
    }

    /** The first value of a field of the game. */
    fun field(what: String): Any? = fields[what]?.invoke()
}
