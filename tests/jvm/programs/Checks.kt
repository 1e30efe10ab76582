package dev.auk.programs

import kotlin.system.exitProcess

/** Counts what holds and what does not, and says so in a form that a test runner's reader knows. */
internal class Checks {
    private var passed = 0
    private var failed = 0

    /** Checks that [found] is [wanted]. */
    fun equal(name: String, found: Any?, wanted: Any?) = report(name, found == wanted) { "found $found, wanted $wanted" }

    /** Checks that [condition] is true. */
    fun holds(name: String, condition: Boolean) = report(name, condition) { "it does not hold" }

    /** Waits up to 10 s until [condition] is true. */
    fun becomes(name: String, condition: () -> Boolean) = report(name, awaited(condition)) { "it did not become true" }

    /** Prints the counts; ends the JVM with 1 when something failed. */
    fun finish() {
        println("$passed passed, $failed failed")
        if (failed > 0) exitProcess(1)
    }

    private fun report(name: String, ok: Boolean, problem: () -> String) {
        if (ok) passed += 1 else failed += 1
        println(if (ok) "ok $name" else "FAILED $name: ${problem()}")
    }

    companion object {
        /** Waits up to 10 s until [condition] is true, and answers whether it became so. */
        fun awaited(condition: () -> Boolean): Boolean {
            val deadline = System.nanoTime() + 10_000_000_000
            while (!condition()) {
                if (System.nanoTime() > deadline) return false
                Thread.sleep(5)
            }
            return true
        }
    }
}
