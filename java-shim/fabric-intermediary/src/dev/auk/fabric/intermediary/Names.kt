// The members of the game that Auk touches, under the names that Yarn gives them. What is written in intermediary names stands here, in
// the ports of what changed between versions, and nowhere else.
package dev.auk.fabric.intermediary

import java.util.UUID
import java.util.function.Supplier
import net.minecraft.class_2165
import net.minecraft.class_2168
import net.minecraft.class_2170
import net.minecraft.class_2556
import net.minecraft.class_2561
import net.minecraft.class_2588
import net.minecraft.class_3222
import net.minecraft.class_3244
import net.minecraft.class_3324
import net.minecraft.class_7471
import net.minecraft.server.MinecraftServer

internal typealias CommandManager = class_2170
internal typealias CommandOutput = class_2165
internal typealias MessageParameters = class_2556.class_7602
internal typealias PlayerManager = class_3324
internal typealias ServerCommandSource = class_2168
internal typealias ServerPlayNetworkHandler = class_3244
internal typealias ServerPlayerEntity = class_3222
internal typealias SignedMessage = class_7471
internal typealias Text = class_2561
internal typealias TranslatableTextContent = class_2588

internal fun literal(text: String): Text = class_2561.method_43470(text)
internal val Text.content: Any get() = method_10851()
internal val TranslatableTextContent.key: String get() = method_11022()
internal val TranslatableTextContent.args: Array<Any> get() = method_11023()

internal val MinecraftServer.playerManager: PlayerManager get() = method_3760()
internal val MinecraftServer.commandManager: CommandManager get() = method_3734()
internal val MinecraftServer.commandSource: ServerCommandSource get() = method_3739()
internal val MinecraftServer.version: String get() = method_3827()
internal val MinecraftServer.serverMotd: String? get() = method_3818()
internal val MinecraftServer.maxPlayerCount: Int get() = method_3802()

@Suppress("UNCHECKED_CAST")
internal val PlayerManager.playerList: List<ServerPlayerEntity> get() = method_14571() as List<ServerPlayerEntity>
internal val PlayerManager.opNames: Array<String> get() = method_14584()
internal val PlayerManager.whitelistedNames: Array<String> get() = method_14560()
internal fun PlayerManager.getPlayer(uuid: UUID): ServerPlayerEntity? = method_14602(uuid)
internal fun PlayerManager.broadcast(text: Text) = method_43514(text, false)

internal val ServerPlayNetworkHandler.player: ServerPlayerEntity get() = field_14140

internal val ServerPlayerEntity.networkHandler: ServerPlayNetworkHandler get() = field_13987
internal val ServerPlayerEntity.uuid: UUID get() = method_5667()
internal val ServerPlayerEntity.name: Text get() = method_5477()
internal val ServerPlayerEntity.displayName: Text get() = method_5476()
internal val ServerPlayerEntity.dimension: String get() = method_51469().method_27983().method_29177().toString()
internal val ServerPlayerEntity.gameMode: String get() = field_13974.method_14257().method_8381()
internal fun ServerPlayerEntity.sendMessageToClient(text: Text) = method_43502(text, false)

internal val SignedMessage.content: Text get() = method_46291()
internal val MessageParameters.name: Text get() = comp_920()
internal fun MessageParameters.applyChatDecoration(text: Text): Text = method_44837(text)

internal val ServerCommandSource.name: String get() = method_9214()
internal fun ServerCommandSource.sendFeedback(text: Text) = method_9226(Supplier { text }, false)
internal fun ServerCommandSource.sendError(text: Text) = method_9213(text)
internal fun ServerCommandSource.withOutput(output: CommandOutput): ServerCommandSource = method_36321(output)
