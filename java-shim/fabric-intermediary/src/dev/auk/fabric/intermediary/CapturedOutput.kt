package dev.auk.fabric.intermediary

/** Keeps what a command says. Neither operators nor the server's log hear of it. */
internal class CapturedOutput : CommandOutput {
    /** The lines so far. */
    val lines = mutableListOf<String>()

    /** `sendMessage`. */
    override fun method_43496(text: Text) {
        lines += text.getString()
    }

    /** `shouldReceiveFeedback`. */
    override fun method_9200() = true

    /** `shouldTrackOutput`, which stands for errors. */
    override fun method_9202() = true

    /** `shouldBroadcastConsoleToOps`. */
    override fun method_9201() = false
}
