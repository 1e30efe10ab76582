package dev.auk.fabric

import dev.auk.LogLevel
import org.slf4j.LoggerFactory

/** The server's own log, as every version of the game carries it. */
object ServerLog {
    /** Writes one line. Any thread. */
    fun write(level: LogLevel, logger: String, text: String) {
        val log = LoggerFactory.getLogger("auk.$logger")
        when (level) {
            LogLevel.ERROR -> log.error(text)
            LogLevel.WARN -> log.warn(text)
            LogLevel.INFO -> log.info(text)
            LogLevel.DEBUG -> log.debug(text)
            LogLevel.TRACE -> log.trace(text)
        }
    }
}
