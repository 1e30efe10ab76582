package dev.auk.minestom

import dev.auk.Bridge
import java.io.FileDescriptor
import java.io.FileOutputStream
import java.io.IOException
import java.io.OutputStream
import java.io.PrintStream
import kotlin.system.exitProcess

/** A small real Minecraft server with Auk in it, for the demo and the tests. JSON lines on standard output say what it does. */
object Main {
    /**
     * Starts the server with the flags of [Options]; it runs until SIGTERM or SIGINT or, with `--until-stdin-ends`, the end of standard
     * input.
     */
    @JvmStatic
    fun main(args: Array<String>) {
        speakUtf8()
        val options = try {
            Options.parse(args)
        } catch (e: IllegalArgumentException) {
            System.err.println("${e.message}\n${Options.USAGE}")
            exitProcess(2)
        }
        val server = try {
            AukServer.start(options)
        } catch (e: IOException) {
            System.err.println("port ${options.port} cannot be had: ${e.message}")
            exitProcess(1)
        }
        Output.listening(server.port)
        if (options.untilStdinEnds) StdinWatcher().start()
        options.statusEveryMs?.let { every -> Reporter(server.bridge, every).start() }
    }

    /** A console in another encoding turns Chinese into question marks, so the encoding does not come from the locale. */
    private fun speakUtf8() {
        System.setOut(PrintStream(FileOutputStream(FileDescriptor.out), true, Charsets.UTF_8))
        System.setErr(PrintStream(FileOutputStream(FileDescriptor.err), true, Charsets.UTF_8))
        System.setProperty("org.slf4j.simpleLogger.showDateTime", "true")
        System.setProperty("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS")
        System.setProperty("org.slf4j.simpleLogger.showThreadName", "false")
    }

    /** Ends the server in order, as a signal does, at the end of standard input. */
    private class StdinWatcher : Thread("standard input watcher") {
        init {
            isDaemon = true
        }

        override fun run() {
            try {
                System.`in`.transferTo(OutputStream.nullOutputStream())
            } catch (e: IOException) {
                System.err.println("standard input cannot be read: ${e.message}")
            }
            exitProcess(0)
        }
    }

    /** Prints the bridge's condition every so often; a daemon, so that it ends with the server. */
    private class Reporter(private val bridge: Bridge, private val everyMs: Long) : Thread("status reporter") {
        init {
            isDaemon = true
        }

        override fun run() {
            while (true) {
                bridge.status()?.let(Output::status)
                sleep(everyMs)
            }
        }
    }
}
