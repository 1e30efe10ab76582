package dev.auk.programs

import dev.auk.NativeTarget
import dev.auk.NativeTarget.Choice
import dev.auk.NativeTarget.Reason

/** Which library each machine gets, from the table that the build packs; and why some get none. */
internal object Machines {
    private val found = listOf(
        listOf("Linux", "amd64", "gnu") to listOf("linux-x86_64-gnu/libauk.so", "linux-x86_64-musl/libauk.so"),
        listOf("Linux", "amd64", "musl") to listOf("linux-x86_64-musl/libauk.so", "linux-x86_64-gnu/libauk.so"),
        listOf("Linux", "x86_64", "gnu") to listOf("linux-x86_64-gnu/libauk.so", "linux-x86_64-musl/libauk.so"),
        listOf("Linux", "aarch64", "gnu") to listOf("linux-aarch64-gnu/libauk.so", "linux-aarch64-musl/libauk.so"),
        listOf("Linux", "aarch64", "musl") to listOf("linux-aarch64-musl/libauk.so", "linux-aarch64-gnu/libauk.so"),
        listOf("Windows 11", "amd64", "gnu") to listOf("windows-x86_64/auk.dll"),
        listOf("Windows Server 2022", "amd64", "gnu") to listOf("windows-x86_64/auk.dll"),
        listOf("Mac OS X", "x86_64", "gnu") to listOf("macos-x86_64/libauk.dylib"),
        listOf("Mac OS X", "aarch64", "gnu") to listOf("macos-aarch64/libauk.dylib"),
    )

    private val none = listOf(
        listOf("Linux", "i386") to Reason.JAVA_OF_32_BITS,
        listOf("Linux", "arm") to Reason.JAVA_OF_32_BITS,
        listOf("Windows 10", "x86") to Reason.JAVA_OF_32_BITS,
        listOf("Windows 11", "aarch64") to Reason.WINDOWS_ON_ARM,
        listOf("Android", "aarch64") to Reason.ANDROID,
        listOf("FreeBSD", "amd64") to Reason.BSD,
        listOf("OpenBSD", "amd64") to Reason.BSD,
        listOf("NetBSD", "aarch64") to Reason.BSD,
        listOf("DragonFlyBSD", "x86_64") to Reason.BSD,
        listOf("Linux", "riscv64") to Reason.UNKNOWN_SYSTEM,
        listOf("Linux", "ppc64le") to Reason.UNKNOWN_SYSTEM,
        listOf("SunOS", "amd64") to Reason.UNKNOWN_SYSTEM,
        listOf("", "") to Reason.UNKNOWN_SYSTEM,
    )

    @JvmStatic
    fun main(@Suppress("UNUSED_PARAMETER") arguments: Array<String>) {
        val checks = Checks()
        val text = Machines::class.java.classLoader.getResourceAsStream("META-INF/auk/natives.tsv")!!.use { it.readBytes().toString(Charsets.UTF_8) }
        val table = NativeTarget.table(text)
        for ((machine, resources) in found) {
            val (os, arch, libc) = machine
            val choice = NativeTarget.choose(table, os, arch, libc)
            checks.equal(machine.joinToString(), (choice as? Choice.Found)?.targets?.map { it.resource }, resources.map { "META-INF/native/$it" })
        }
        for ((machine, reason) in none) {
            checks.equal(machine.joinToString(), NativeTarget.choose(table, machine[0], machine[1], "gnu"), Choice.None(reason))
        }
        checks.equal("every target of the table is somebody's", table.map { it.resource }.toSet(), found.flatMap { it.second }.map { "META-INF/native/$it" }.toSet())
        checks.finish()
    }
}
