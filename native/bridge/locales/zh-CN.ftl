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

# /auk：命令说明
help-status = 查看与 QQ 的连接和各群的状态
help-reload = 重新读取配置
help-reconnect = 断开当前连接并重新连接 QQ
help-send = 以服务器的名义向各群发一条消息
help-test = 向每个群发一条测试消息，并告知是否送达
help-help = 列出全部命令

# /auk：回答
command-unknown = 没有“{ $name }”这个命令。/{ $root } 之后可以是：{ $names }
command-incomplete = 命令不完整。用法：{ $usage }
command-stopping = 桥接正在关闭，没有执行
off-reason = 海雀没有运行：{ $reason }
off-advice = 改好 config/auk/auk.toml 后输入 /auk reload；服务器不受影响
reload-taken = 配置已读取并生效，共 { $groups } 个群
reload-refused = 新配置没有生效，沿用现有配置
reconnect-ready = 正在断开并重新连接 QQ，会话会保留
reconnect-under-way = 正在连接中，不需要另一次尝试
reconnect-now = 将立即尝试连接 QQ（仍受连接频率限制）；用 /auk status 查看结果
send-nothing = 这条消息里没有能显示的内容，没有发送
send-unwanted = 没有群接收游戏消息（from_game 都已关闭），没有发送
send-queued = 已排队，发往 { $groups } 个群
send-kept = 已排队，发往 { $groups } 个群；目前没有连上 QQ，连上后发出
test-line = 海雀测试消息，由 { $caller } 发起
test-group = 群 { $group }：{ $verdict }
test-arrived = 已送达
test-refused = 平台拒绝了。{ $advice }
test-uncertain = 不知是否送达，为避免重复不再重发
test-given-up = 在发出前被放弃
test-offline = 等待中：目前没有连上 QQ，连上后会发出；详见 /auk status
test-waits = 等待中，之后会发出。{ $obstacle }
test-unanswered = 已发出，平台还没有回应
test-behind = 等待中：前面还有别的消息
obstacle-nobody-spoke = 只能以回复发送：群里有人发言后的五分钟内才能发出
obstacle-pace = 每分钟可发的主动消息已用完，一分钟内会恢复

# /auk status
status-state = QQ：{ $state }（已持续 { $since }）
status-halt = 已停止常规重连：{ $advice }（{ $reason }）
status-next = 接下来：{ $what }，{ $span }后
status-attempts = 连接尝试：最近一分钟 { $minute } 次，启动以来共 { $total } 次
status-loss = 上一次断开的原因：{ $cause }
status-counts = 消息：等待 { $waiting }，放弃 { $dropped }，不明 { $uncertain }；已发往群 { $posted }，已显示在游戏里 { $said }
status-group-open = 群 { $group }：畅通
status-group-held = 群 { $group }：暂停。{ $obstacle }
span-seconds = { $count } 秒
span-minutes = { $count } 分钟
span-hours = { $count } 小时
state =
    { $state ->
        [starting] 正在启动
        [awaiting_token] 正在获取令牌
        [awaiting_address] 正在查询接入地址
        [waiting] 等待下一次连接
        [connecting] 正在连接
        [awaiting_hello] 已连上，等待平台问候
        [authenticating] 正在登录
        [ready] 已连接
        [halted] 需要服主处理
        [stopping] 正在关闭
       *[stopped] 已关闭
    }
deadline =
    { $what ->
        [heartbeat] 发送心跳
        [back-off] 再次连接
        [slow-lane] 再次尝试
        [connect] 放弃这次连接
        [hello] 放弃等待平台问候
        [ready] 放弃等待登录结果
        [resumed] 放弃等待恢复结果
        [closing-handshake] 结束关闭握手
        [address-look-up] 放弃这次地址查询
        [address-look-up-limit] 再次查询接入地址（受频率限制）
        [connect-limit] 再次连接（受频率限制）
        [allowance-of-new-sessions] 再次连接（新会话额度限制）
        [pause-asked-for-by-the-platform] 再次连接（平台要求的暂停）
        [close-code-after-invalid-session] 再次登录
        [token-request] 放弃这次令牌请求
        [token-renewal] 续期令牌
       *[next-token-request] 再次请求令牌
    }
