# 进入游戏或群聊的文字
member = 群成员
face = [表情]
image = [图片]
image-named = [图片 { $name }]
voice = [语音]
voice-heard = [语音：{ $name }]
video = [视频]
video-named = [视频 { $name }]
file = [文件]
file-named = [文件 { $name }]
card = [卡片 { $title }]
quote = [回复：{ $text }]
quote-of = [回复 { $member }：{ $text }]
name-separator = 、
online-nobody = 在线 0/{ $max }：没有玩家在线
online = 在线 { $count }/{ $max }：{ $names }
online-and-more = 在线 { $count }/{ $max }：{ $names } 等，另有 { $more } 人
online-unanswered = 服务器没有回应，请稍后再试
backlog-dropped = （{ $lines } 条消息因积压未送达）
group-not-set-up =
    本群尚未接入。请服主在 config/auk/auk.toml 中加入：
    {"[[groups]]"}
    openid = "{ $openid }"
    保存后重启服务器

# 日志：连不上平台时，发送暂停的原因
hold-network = 无法连接 QQ 平台，会自动重试，无需处理。

# 日志
notice-no-groups = 还没有配置任何群。把机器人拉进群后 @ 它，它会告诉你要填写的 openid
notice-event-unreadable = 收到无法识别的 { $event } 事件：{ $cause }
notice-group-unknown = 未配置的群 { $group } 提到了机器人，已在群里说明接入方法
notice-group-joined = 机器人被拉进群 { $group }
notice-group-left = 机器人被移出群 { $group }
notice-active-on = 群 { $group } 允许了主动消息
notice-active-off = 群 { $group } 关闭了主动消息：只有在群里有人发言后的五分钟内，才能把游戏消息作为回复发出
notice-held = 群 { $group } 的发送暂停（错误码 { $code }），{ $seconds } 秒后重试，消息会保留。{ $advice }
notice-released = 群 { $group } 的发送已恢复
notice-backlog = 群 { $group } 积压过多或过久，目前放弃了 { $lines } 条消息
notice-refused = 平台拒绝了发往群 { $group } 的消息（错误码 { $code }，HTTP { $status }），放弃了 { $lines } 条。{ $advice }
notice-uncertain = 发往群 { $group } 的 { $lines } 条消息不知是否送达；为避免重复，不再重发
notice-left-behind = 关闭前有 { $lines } 条消息没能发出

# 配置问题
problem-openid-empty = 第 { $position } 个 [[groups]] 没有填写 openid，已忽略
problem-openid-twice = 第 { $position } 个 [[groups]] 的 openid（{ $openid }…）重复，已忽略，以前一个为准
problem-openid-is-number = 第 { $position } 个 [[groups]] 填写的是群号。这里需要 openid：在群里 @ 机器人，它会告诉你
problem-placeholder-unknown = [messages] { $template } 里有不认识的占位符 { $name }，已原样保留；可以使用：{ $known }
problem-brace-not-closed = [messages] { $template } 里有一个“{"{"}”没有对应的“{"}"}”，已原样保留；要写大括号本身请写两遍
problem-brace-not-opened = [messages] { $template } 里有一个“{"}"}”没有对应的“{"{"}”，已原样保留；要写大括号本身请写两遍
problem-section-sign = [messages] { $template } 里有颜色代码（§），发送时会去掉
problem-limit-out-of-range = [limits] { $limit } = { $value } 超出范围，应在 { $min } 到 { $max } 之间，已取最接近的值
