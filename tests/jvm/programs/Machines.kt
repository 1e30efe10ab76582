package dev.auk.programs

import dev.auk.LoadFailure
import dev.auk.NativeTarget
import dev.auk.NativeTarget.Choice
import dev.auk.NativeTarget.Reason
import dev.auk.ShimTexts
import java.io.File

/** Which library each machine gets, and why some get none. The argument after the directory is `gradle/natives.toml`. */
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
        listOf("FreeBSD", "i386") to Reason.BSD,
        listOf("Android", "arm") to Reason.ANDROID,
        listOf("SunOS", "x86") to Reason.JAVA_OF_32_BITS,
        listOf("Linux", "riscv64") to Reason.UNKNOWN_PROCESSOR,
        listOf("Linux", "ppc64le") to Reason.UNKNOWN_PROCESSOR,
        listOf("Linux", "s390x") to Reason.UNKNOWN_PROCESSOR,
        listOf("Windows 11", "riscv64") to Reason.UNKNOWN_PROCESSOR,
        listOf("SunOS", "amd64") to Reason.UNKNOWN_SYSTEM,
        listOf("", "") to Reason.UNKNOWN_SYSTEM,
    )

    @JvmStatic
    fun main(arguments: Array<String>) {
        val checks = Checks()
        val table = NativeTarget.table(File(arguments[1]).readText().split("[[native]]").drop(1).joinToString("\n", transform = ::line))
        for ((machine, resources) in found) {
            val (os, arch, libc) = machine
            val choice = NativeTarget.choose(table, os, arch, libc)
            checks.equal(machine.joinToString(), (choice as? Choice.Found)?.targets?.map { it.resource }, resources.map { "META-INF/native/$it.xz" })
            val platform = "${NativeTarget.system(os)}-${NativeTarget.processor(arch)}"
            checks.equal("$machine with a jar for others", NativeTarget.choose(emptyList(), os, arch, libc), Choice.Left(platform))
        }
        for ((machine, reason) in none) {
            checks.equal(machine.joinToString(), NativeTarget.choose(table, machine[0], machine[1], "gnu"), Choice.None(reason))
        }
        checks.equal("every target of the table is somebody's", table.map { it.resource }.toSet(), found.flatMap { it.second }.map { "META-INF/native/$it.xz" }.toSet())
        checks.equal("every reason is somebody's", none.map { it.second }.toSet(), Reason.entries.toSet())
        everyReasonIsExplained(checks)
        for (line in listOf("linux\tx86_64\tgnu\tlibauk.so", "linux\tx86_64\tgnu\tlibauk.so\t00\tmany\t00")) {
            checks.holds("a line that is none is refused: $line", runCatching { NativeTarget.table(line) }.exceptionOrNull() is IllegalArgumentException)
        }
        checks.finish()
    }

    /** In both languages, and in words of its own. */
    private fun everyReasonIsExplained(checks: Checks) {
        for (texts in listOf(ShimTexts.English, ShimTexts.Chinese)) {
            val failures = Reason.entries.map { LoadFailure.Unsupported(it) }
            checks.equal("$texts has a cause for each", failures.map { texts.cause(it) }.toSet().size, failures.size)
            checks.holds("$texts has advice for each", failures.all { texts.advice(it).length > 10 })
        }
    }

    /** An entry of the build's table as the jar would have it. */
    private fun line(entry: String): String {
        val values = Regex("""(\w+) = "(.*)"""").findAll(entry).associate { it.groupValues[1] to it.groupValues[2] }
        return listOf("os", "arch", "libc", "file").joinToString("\t") { values.getValue(it) } + "\t00\t1\t00"
    }
}
