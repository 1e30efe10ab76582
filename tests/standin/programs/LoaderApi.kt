package dev.auk.game

import java.nio.file.FileSystems
import java.util.Optional

/** What Fabric Loader answers to mods. */
internal class LoaderApi(private val things: Things, private val description: Description, private val loader: ClassLoader) {
    private val entryPoints = HashMap<String, List<Any>>()

    /** The loader has read every jar before it starts a mod. */
    private val roots = description.jars.mapValues { (_, jar) -> FileSystems.newFileSystem(jar).getPath("/") }

    /** The entry points of this kind, each made once, as the loader does. */
    fun entryPoints(kind: String): List<Any> = entryPoints.getOrPut(kind) {
        description.entryPoints[kind].orEmpty().map { loader.loadClass(it).getConstructor().newInstance() }
    }

    /** Plays the loader's members. */
    fun play(members: Members) {
        members.on("FabricLoader.getInstance") { _, _ -> things.create("FabricLoader") }
        members.on("FabricLoader.getMappingResolver") { _, _ -> things.create("MappingResolver") }
        members.on("FabricLoader.getEntrypoints") { _, (kind, _) -> entryPoints(kind as String) }
        members.on("FabricLoader.getConfigDir") { _, _ -> description.directory.resolve("config") }
        members.on("FabricLoader.getGameDir") { _, _ -> description.directory }
        members.on("FabricLoader.isModLoaded") { _, (mod) -> mod in description.mods }
        members.on("FabricLoader.getModContainer") { _, (mod) ->
            Optional.ofNullable(description.mods[mod as String]).map { version ->
                things.create("ModContainer", VERSION, version).also { things.data(it)[ROOTS] = listOfNotNull(roots[mod]) }
            }
        }
        members.on("ModContainer.getRootPaths") { self, _ -> things.data<List<*>>(self, ROOTS) }
        members.on("ModContainer.getMetadata") { self, _ -> things.create("ModMetadata", VERSION, things.data<String>(self, VERSION)) }
        members.on("ModMetadata.getVersion") { self, _ -> things.create("Version", VERSION, things.data<String>(self, VERSION)) }
        members.on("Version.getFriendlyString") { self, _ -> things.data<String>(self, VERSION) }
        members.on("MappingResolver.getCurrentRuntimeNamespace") { _, _ -> description.namespace }
    }

    private companion object {
        const val VERSION = "version"
        const val ROOTS = "roots"
    }
}
