package dev.auk.fabric.intermediary

import dev.auk.GameText

/** This text with its key and its arguments, where the game translates it. */
internal fun Text.toGameText(): GameText {
    val content = content
    if (content !is TranslatableTextContent) return GameText(getString())
    return GameText(getString(), content.key, content.args.map { if (it is Text) it.toGameText() else GameText(it.toString()) })
}
