package dev.auk.fabric

import dev.auk.ShimTexts

/** What the outer mod itself says to an operator, in one language. */
internal enum class FabricTexts {
    /** en-US. */
    ENGLISH {
        override fun noAdapter(minecraft: String, namespace: String) =
            "Auk knows no Minecraft $minecraft with $namespace names, so no chat goes to or comes from QQ. The server runs on. " +
                "What to do: use a released Minecraft from 1.20.1 to 26.x, or a newer Auk."

        override fun permissionsBroken(cause: String) =
            "The permissions mod cannot be asked ($cause); /auk goes by operator levels instead."
    },

    /** zh-CN. */
    CHINESE {
        override fun noAdapter(minecraft: String, namespace: String) =
            "海雀不支持 Minecraft $minecraft（$namespace 名称），与 QQ 的聊天互通已关闭，服务器照常运行。" +
                "解决办法：请使用 1.20.1 至 26.x 的正式版 Minecraft，或更新海雀。"

        override fun permissionsBroken(cause: String) = "无法询问权限模组（$cause），/auk 改按管理员等级判断。"
    },
    ;

    /** No adapter of this jar is for the game. */
    abstract fun noAdapter(minecraft: String, namespace: String): String

    /** The permissions API is there, but does not answer. */
    abstract fun permissionsBroken(cause: String): String

    companion object {
        /** The language that the shim speaks. */
        fun current(): FabricTexts = when (ShimTexts.current()) {
            ShimTexts.English -> ENGLISH
            ShimTexts.Chinese -> CHINESE
        }
    }
}
