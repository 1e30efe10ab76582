package dev.auk.game

import com.google.gson.JsonObject
import java.io.ByteArrayOutputStream
import java.io.OutputStream
import java.io.PrintStream

/** What this program sees, as one JSON object a line on standard output. It is judged elsewhere. */
internal class Report private constructor(private val out: PrintStream) {
    /** Writes one event. Any thread. */
    @Synchronized
    fun event(kind: String, fill: JsonObject.() -> Unit = {}) {
        val event = JsonObject()
        event.addProperty("event", kind)
        event.fill()
        out.println(event)
    }

    /** Every line that goes to standard error, the server's log above all, becomes an event. */
    private inner class ErrorLines : OutputStream() {
        private val line = ByteArrayOutputStream()

        @Synchronized
        override fun write(byte: Int) {
            if (byte != '\n'.code) return line.write(byte)
            val text = line.toString(Charsets.UTF_8).trimEnd()
            line.reset()
            event("log") { addProperty("line", text) }
        }
    }

    companion object {
        /** Takes both of the process's streams. Nothing may have written to them. */
        fun begin(): Report {
            val report = Report(PrintStream(System.out, true, Charsets.UTF_8))
            System.setErr(PrintStream(report.ErrorLines(), true, Charsets.UTF_8))
            Thread.setDefaultUncaughtExceptionHandler { thread, error ->
                report.event("uncaught") {
                    addProperty("thread", thread.name)
                    addProperty("error", error.stackTraceToString())
                }
            }
            return report
        }
    }
}
