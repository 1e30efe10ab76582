package dev.auk.minestom

import java.nio.file.Path

/**
 * The server's flags: the [port], 0 for any free one, the directory of `auk.toml`, how often to print the status, if at all, whether to
 * end in order at the end of standard input, which comes when whoever holds its other end is killed, and the names of the [operators].
 */
internal data class Options(
    val port: Int,
    val configDir: Path,
    val statusEveryMs: Long?,
    val untilStdinEnds: Boolean,
    val operators: Set<String>,
) {
    companion object {
        const val USAGE = "usage: [--port N] [--config-dir DIRECTORY] [--status-every MILLISECONDS] [--operator NAME]... [--until-stdin-ends]"

        /** Reads the flags. An [IllegalArgumentException] says which one is wrong. */
        fun parse(args: Array<String>): Options {
            var options = Options(25565, Path.of("config", "auk"), null, false, emptySet())
            val rest = args.iterator()
            while (rest.hasNext()) {
                val flag = rest.next()
                if (flag == "--until-stdin-ends") {
                    options = options.copy(untilStdinEnds = true)
                    continue
                }
                require(rest.hasNext()) { "$flag is unknown or lacks its value" }
                val value = rest.next()
                options = when (flag) {
                    "--port" -> options.copy(port = number(flag, value, 0..65535L).toInt())
                    "--config-dir" -> options.copy(configDir = Path.of(value))
                    "--status-every" -> options.copy(statusEveryMs = number(flag, value, 1..Long.MAX_VALUE))
                    "--operator" -> options.copy(operators = options.operators + value)
                    else -> throw IllegalArgumentException("$flag is unknown")
                }
            }
            return options
        }

        private fun number(flag: String, value: String, range: LongRange): Long =
            requireNotNull(value.toLongOrNull()?.takeIf { it in range }) { "$flag takes a number from ${range.first} to ${range.last}, not $value" }
    }
}
