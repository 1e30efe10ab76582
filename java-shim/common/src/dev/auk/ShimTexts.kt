package dev.auk

import java.util.Locale

/** What the shim itself says to an operator, in one language. All other texts come from the native part. */
internal sealed interface ShimTexts {
    /** The first of the three lines: the native part is missing. */
    fun off(system: String, cause: String): String

    /** The second: where it was looked for. */
    fun tried(places: String): String

    /** The third: what to do. */
    fun advice(failure: LoadFailure): String

    /** What [failure] is. */
    fun cause(failure: LoadFailure): String

    /** Frames were refused because the native part's queue was full. */
    fun refused(count: Long): String

    /** The bridge was freed before it had ended. */
    fun late(): String

    /** A command is not done, because no bridge is at work. */
    fun notRunning(): String

    /** A command is not done, because the native part's queue is full. */
    fun busy(): String

    /** The name of this language in the resource of commands. */
    val tag: String

    /** This Java has as many bridges as it may have. */
    fun tooMany(): String

    companion object {
        /** The language of `-Dauk.language`, or else of the system: Chinese or English. */
        fun current(): ShimTexts {
            val tag = System.getProperty("auk.language") ?: Locale.getDefault().language
            return if (tag.lowercase().startsWith("zh")) Chinese else English
        }
    }

    /** en-US. */
    data object English : ShimTexts {
        override fun off(system: String, cause: String) =
            "Auk's native part could not be loaded, so no chat goes to or comes from QQ. The server runs on. Cause: $cause. System: $system."

        override fun tried(places: String) = "Tried: $places."

        override fun refused(count: Long) = "$count lines were not handed to QQ because too many came at once."

        override fun notRunning() = "Auk's bridge is not running, so nothing was done."

        override fun busy() = "Auk has too much to do at this moment, so nothing was done. Try again in a moment."

        override val tag = "en_us"

        override fun late() = "Auk did not end in time; lines that were still waiting are lost."

        override fun tooMany() = "Too many of Auk's bridges are open in this Java, so this one stays off until the next start."

        override fun advice(failure: LoadFailure) = "What to do: " + when (failure) {
            is LoadFailure.Unsupported -> when (failure.reason) {
                NativeTarget.Reason.JAVA_OF_32_BITS -> "install a Java of 64 bits."
                NativeTarget.Reason.WINDOWS_ON_ARM -> "run the server with a Java for x86-64, which Windows on ARM emulates."
                NativeTarget.Reason.ANDROID, NativeTarget.Reason.BSD, NativeTarget.Reason.UNKNOWN_SYSTEM ->
                    "run the server on Linux, Windows or macOS."
                NativeTarget.Reason.UNKNOWN_PROCESSOR -> "run the server on a machine with an x86-64 or ARM64 processor."
            }
            is LoadFailure.NotInJar -> "use a release of Auk for this system; this build was made for another one."
            is LoadFailure.NoSuchFile -> "correct -Dauk.native.file, or leave it out."
            is LoadFailure.NotWritable, is LoadFailure.NotExecutable ->
                "name a directory that can be written and run from with -Dauk.native.dir=DIRECTORY."
            is LoadFailure.NoRoom -> "make room there, or name a directory on another volume with -Dauk.native.dir=DIRECTORY."
            is LoadFailure.SystemTooOld -> "update the system, or use a build of Auk that was made for its C library."
            is LoadFailure.OtherLibc -> "use a release of Auk that has both libraries, and leave -Dauk.native.file out."
            is LoadFailure.OtherPlatform -> "use the library for this system, or leave -Dauk.native.file out."
            is LoadFailure.Forbidden -> "start Java with --enable-native-access=ALL-UNNAMED, which --illegal-native-access=deny demands."
            is LoadFailure.DamagedJar -> "download Auk again."
            is LoadFailure.NoLibrary, is LoadFailure.CutOff, is LoadFailure.Damaged, is LoadFailure.NotOurs ->
                "download Auk again, and leave -Dauk.native.file out."
            is LoadFailure.OtherAbi -> "keep one version of Auk in this server only, and leave -Dauk.native.file out."
        }

        override fun cause(failure: LoadFailure) = when (failure) {
            is LoadFailure.Unsupported -> when (failure.reason) {
                NativeTarget.Reason.JAVA_OF_32_BITS -> "this Java has 32 bits, and there is a library for 64 bits only"
                NativeTarget.Reason.WINDOWS_ON_ARM -> "there is no library for Windows on ARM"
                NativeTarget.Reason.ANDROID -> "there is no library for Android"
                NativeTarget.Reason.BSD -> "there is no library for the BSDs"
                NativeTarget.Reason.UNKNOWN_PROCESSOR -> "there is no library for this processor"
                NativeTarget.Reason.UNKNOWN_SYSTEM -> "there is no library for this system"
            }
            is LoadFailure.NotInJar -> "this jar does not hold the library for ${failure.platform}"
            is LoadFailure.DamagedJar -> "the jar is damaged (${failure.detail})"
            is LoadFailure.NoSuchFile -> "there is no file ${failure.name}"
            is LoadFailure.NotWritable -> "the directory cannot be written (${failure.detail})"
            is LoadFailure.NoRoom -> "there is no room for ${failure.bytes} bytes (${failure.detail})"
            is LoadFailure.NotExecutable -> "nothing may be run from the directory (noexec: ${failure.detail})"
            is LoadFailure.SystemTooOld -> "the system's C library is older than this build of Auk needs; the system says: ${failure.detail}"
            is LoadFailure.OtherLibc -> "made for another C library than this Java's (glibc or musl); the system says: ${failure.detail}"
            is LoadFailure.OtherPlatform -> "made for ${failure.found}, and this is ${failure.needed}"
            is LoadFailure.NoLibrary -> "the file is no library"
            is LoadFailure.CutOff -> "the file is cut off after ${failure.bytes} bytes"
            is LoadFailure.Forbidden -> "Java was told to load no native code (${failure.detail})"
            is LoadFailure.Damaged -> "the system refuses it (${failure.detail})"
            is LoadFailure.NotOurs -> "the library is not Auk's"
            is LoadFailure.OtherAbi -> "the library is of another version (border ${failure.found}, not ${NativeBridge.ABI_VERSION})"
        }
    }

    /** zh-CN. */
    data object Chinese : ShimTexts {
        override fun off(system: String, cause: String) =
            "海雀的本地库无法加载，与 QQ 的聊天互通已关闭，服务器照常运行。原因：$cause。系统：$system。"

        override fun tried(places: String) = "已尝试：$places。"

        override fun refused(count: Long) = "消息来得太快，有 $count 条没有交给 QQ。"

        override fun notRunning() = "海雀的桥接没有在运行，命令没有执行。"

        override fun busy() = "海雀此刻过于繁忙，命令没有执行，请稍后再试。"

        override val tag = "zh_cn"

        override fun late() = "海雀没有及时结束，仍在等待的消息已丢失。"

        override fun tooMany() = "本 Java 进程中海雀的实例过多，这一个在下次启动前保持关闭。"

        override fun advice(failure: LoadFailure) = "解决办法：" + when (failure) {
            is LoadFailure.Unsupported -> when (failure.reason) {
                NativeTarget.Reason.JAVA_OF_32_BITS -> "请安装 64 位的 Java。"
                NativeTarget.Reason.WINDOWS_ON_ARM -> "请改用 x86-64 版的 Java，Windows on ARM 可以模拟运行。"
                NativeTarget.Reason.ANDROID, NativeTarget.Reason.BSD, NativeTarget.Reason.UNKNOWN_SYSTEM ->
                    "请在 Linux、Windows 或 macOS 上运行服务器。"
                NativeTarget.Reason.UNKNOWN_PROCESSOR -> "请在 x86-64 或 ARM64 处理器的机器上运行服务器。"
            }
            is LoadFailure.NotInJar -> "请使用适合本系统的海雀发行版，当前文件是为别的系统构建的。"
            is LoadFailure.NoSuchFile -> "请改正 -Dauk.native.file，或去掉它。"
            is LoadFailure.NotWritable, is LoadFailure.NotExecutable -> "请用 -Dauk.native.dir=目录 指定一个可写且允许执行的目录。"
            is LoadFailure.NoRoom -> "请清理磁盘空间，或用 -Dauk.native.dir=目录 指定其他磁盘上的目录。"
            is LoadFailure.SystemTooOld -> "请升级系统，或使用针对该 C 库构建的海雀。"
            is LoadFailure.OtherLibc -> "请使用包含两种本地库的海雀发行版，并去掉 -Dauk.native.file。"
            is LoadFailure.OtherPlatform -> "请换成适合本系统的库文件，或去掉 -Dauk.native.file。"
            is LoadFailure.Forbidden -> "请在 Java 启动参数中加入 --enable-native-access=ALL-UNNAMED（使用 --illegal-native-access=deny 时必须加入）。"
            is LoadFailure.DamagedJar -> "请重新下载海雀。"
            is LoadFailure.NoLibrary, is LoadFailure.CutOff, is LoadFailure.Damaged, is LoadFailure.NotOurs ->
                "请重新下载海雀，并去掉 -Dauk.native.file。"
            is LoadFailure.OtherAbi -> "请只保留一个版本的海雀，并去掉 -Dauk.native.file。"
        }

        override fun cause(failure: LoadFailure) = when (failure) {
            is LoadFailure.Unsupported -> when (failure.reason) {
                NativeTarget.Reason.JAVA_OF_32_BITS -> "当前 Java 是 32 位，而本地库只有 64 位"
                NativeTarget.Reason.WINDOWS_ON_ARM -> "没有适用于 Windows on ARM 的本地库"
                NativeTarget.Reason.ANDROID -> "没有适用于 Android 的本地库"
                NativeTarget.Reason.BSD -> "没有适用于 BSD 的本地库"
                NativeTarget.Reason.UNKNOWN_PROCESSOR -> "没有适用于本处理器的本地库"
                NativeTarget.Reason.UNKNOWN_SYSTEM -> "没有适用于本系统的本地库"
            }
            is LoadFailure.NotInJar -> "此 jar 文件中没有 ${failure.platform} 的本地库"
            is LoadFailure.DamagedJar -> "jar 文件已损坏（${failure.detail}）"
            is LoadFailure.NoSuchFile -> "文件 ${failure.name} 不存在"
            is LoadFailure.NotWritable -> "目录无法写入（${failure.detail}）"
            is LoadFailure.NoRoom -> "剩余空间不足 ${failure.bytes} 字节（${failure.detail}）"
            is LoadFailure.NotExecutable -> "该目录不允许执行程序（noexec：${failure.detail}）"
            is LoadFailure.SystemTooOld -> "系统的 C 库版本低于此构建的要求；系统提示：${failure.detail}"
            is LoadFailure.OtherLibc -> "库文件是为另一种 C 库（glibc 或 musl）构建的；系统提示：${failure.detail}"
            is LoadFailure.OtherPlatform -> "库文件属于 ${failure.found}，而本机是 ${failure.needed}"
            is LoadFailure.NoLibrary -> "该文件不是库文件"
            is LoadFailure.CutOff -> "文件不完整，只有 ${failure.bytes} 字节"
            is LoadFailure.Forbidden -> "Java 被设置为禁止加载本地代码（${failure.detail}）"
            is LoadFailure.Damaged -> "系统拒绝加载（${failure.detail}）"
            is LoadFailure.NotOurs -> "该库不是海雀的"
            is LoadFailure.OtherAbi -> "库的版本不符（接口 ${failure.found}，需要 ${NativeBridge.ABI_VERSION}）"
        }
    }
}
