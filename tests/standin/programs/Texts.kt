package dev.auk.game

/** The game's texts. */
internal class Texts(private val things: Things) {
    private class Translation(val key: String, val args: List<Any>)

    /** A plain text. */
    fun literal(text: String): Any = things.create("MutableText", STRING, text)

    /** A text that the game translates, which reads [text] in English; [args] are texts. */
    fun translatable(key: String, text: String, args: List<Any>): Any =
        literal(text).also { things.data(it)[TRANSLATION] = Translation(key, args) }

    /** A text in English. */
    fun string(text: Any?): String = things.data(text, STRING)

    /** Plays the texts' members. */
    fun play(members: Members) {
        members.on("Text.literal") { _, (text) -> literal(text as String) }
        members.on("Text.getString") { self, _ -> string(self) }
        members.on("Text.getContent") { self, _ -> content(self!!) }
        members.on("TranslatableTextContent.getKey") { self, _ -> things.data<Translation>(self, TRANSLATION).key }
        members.on("TranslatableTextContent.getArgs") { self, _ -> things.data<Translation>(self, TRANSLATION).args.toTypedArray() }
    }

    private fun content(text: Any): Any {
        val translation = things.data(text)[TRANSLATION] ?: return things.create("TextContent")
        return things.create("TranslatableTextContent", TRANSLATION, translation)
    }

    private companion object {
        const val STRING = "string"
        const val TRANSLATION = "translation"
    }
}
