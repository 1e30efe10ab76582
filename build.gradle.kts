// The door that people of the JVM expect. How things are built is defined once, in xtask/; every task here calls it.

plugins {
    `java-base`
}

apply { from("gradle/cargo.gradle.kts") }

tasks.getByName("assemble").dependsOn("modJar")
tasks.getByName("check").dependsOn("auk-test")
