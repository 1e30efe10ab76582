// One task for each thing that `cargo xtask` can do and that people look for in Gradle. None is ever up to date, because only cargo knows
// whether Rust code changed. Written in what Gradle 4.4 and 9 have in common.

fun xtask(name: String, about: String, vararg arguments: String) {
    tasks.create(name, Exec::class.java) {
        group = "auk"
        description = about
        workingDir = projectDir
        commandLine = listOf("cargo", "xtask") + arguments
        standardInput = System.`in`
        outputs.upToDateWhen { false }
    }
}

xtask("natives", "Builds the native library for this machine, as it is shipped", "natives")
xtask("shim", "Compiles the Kotlin shim and packs its jars", "shim")
xtask("modJar", "Builds the mod with the native library of this machine", "jar")
xtask("demo", "Starts a server, a player and a QQ group's page", "demo")
xtask("auk-test", "Builds everything and runs all tests", "test")
xtask("publication", "Builds the mod for all systems and says what places for mods ask about it", "publication")
