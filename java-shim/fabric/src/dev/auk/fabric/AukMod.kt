package dev.auk.fabric

import dev.auk.CommandTree
import java.nio.file.Path
import net.fabricmc.api.ModInitializer
import net.fabricmc.loader.api.FabricLoader
import net.fabricmc.loader.api.ModContainer
import org.slf4j.LoggerFactory

/** The outer mod: finds the adapter that Fabric Loader chose for this game, and lets it listen. It knows no class of Minecraft. */
class AukMod : ModInitializer {
    override fun onInitialize() {
        val loader = FabricLoader.getInstance()
        val namespace = loader.mappingResolver.currentRuntimeNamespace
        val minecraft = MinecraftRelease.parse(checkNotNull(loader.container("minecraft")).metadata.version.friendlyString)
        val adapter = loader.getEntrypoints(ADAPTERS, Adapter::class.java).filterIsInstance<Adapter>().singleOrNull { it.namespace == namespace }
        if (adapter == null) {
            LoggerFactory.getLogger("auk").warn(FabricTexts.current().noAdapter(minecraft.toString(), namespace))
            return
        }
        val events = GameEvents(loader.configDir.resolve("auk"), loader.gameDir)
        val roots = PARTS.mapNotNull { loader.container(it) }.flatMap { it.rootPaths }
        events.prepare(ModClasses(roots.filterIsInstance<Path>()))
        adapter.listen(events, CommandNodes(CommandTree.read(), NodePermissions.find(loader), events::command), minecraft)
    }

    private fun FabricLoader.container(mod: String): ModContainer? = getModContainer(mod).orElse(null) as ModContainer?

    private companion object {
        /** The key of the adapters' entry points in their `fabric.mod.json`. */
        const val ADAPTERS = "auk-adapter"

        /** The outer mod and the nested one that the loader chose. */
        val PARTS = listOf("auk", "auk-adapter")
    }
}
