package dev.auk.fabric.official

import dev.auk.GameText
import net.minecraft.network.chat.Component
import net.minecraft.network.chat.contents.TranslatableContents

/** This text with its key and its arguments, where the game translates it. */
internal fun Component.toGameText(): GameText {
    val contents: Any = getContents()
    if (contents !is TranslatableContents) return GameText(getString())
    val args = contents.getArgs().map { if (it is Component) it.toGameText() else GameText(it.toString()) }
    return GameText(getString(), contents.getKey(), args)
}
