package dev.auk.game

/** A permissions mod, which has an answer for some players and nodes and none for the others. */
internal class PermissionsMod(private val sources: Sources) {
    private val answers = HashMap<Pair<String, String>, Boolean>()

    /** Whether the player of this [name] may use [node]. */
    fun permit(name: String, node: String, allowed: Boolean) {
        answers[name to node] = allowed
    }

    /** Plays the mod's static method. */
    fun play(members: Members) {
        members.on("Permissions.check") { _, (source, node, otherwise) -> answers[sources.of(source).name to node] ?: otherwise }
    }
}
