// The door that people of the JVM expect. How things are built is defined once, in xtask/; every task here calls it, and none is ever
// up to date, because only cargo knows whether Rust code changed. Written in what Gradle 4.4 and 9 have in common.

plugins {
    `java-base`
}

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

xtask("natives", "Builds the native library for this machine", "native")
xtask("shim", "Compiles the Kotlin shim and packs its jars", "shim")
xtask("demo", "Starts a server, a player and a QQ group's page", "demo")
xtask("auk-test", "Builds everything and runs all tests", "test")

tasks.getByName("assemble").dependsOn("natives", "shim")
tasks.getByName("check").dependsOn("auk-test")
