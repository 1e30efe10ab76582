# Words in the game or in a group
member = member
face = [face]
image = [image]
image-named = [image { $name }]
voice = [voice]
voice-heard = [voice: { $name }]
video = [video]
video-named = [video { $name }]
file = [file]
file-named = [file { $name }]
card = [card { $title }]
quote = [re: { $text }]
quote-of = [re { $member }: { $text }]
name-separator = {", "}
online-nobody = Online 0/{ $max }: nobody
online = Online { $count }/{ $max }: { $names }
online-and-more = Online { $count }/{ $max }: { $names } and { $more } more
online-unanswered = The server did not answer. Please try again later
backlog-dropped = (lines not delivered: { $lines })
group-not-set-up =
    This group is not set up. The server's owner adds to config/auk/auk.toml:
    {"[[groups]]"}
    openid = "{ $openid }"
    then saves it and restarts the server

# Log: why sending pauses, and what to do
hold-network = QQ cannot be reached; it is tried again by itself
hold-platform-trouble = QQ has trouble of its own; it is tried again by itself
hold-rate-limited = too many calls; QQ asked to wait
hold-unauthorized = QQ did not accept the bot's credentials or this machine's address. Check AppID, AppSecret and the IP whitelist on the QQ open platform
hold-active-quota = too many active messages for the platform's quota. As soon as somebody speaks in the group, lines go on as replies
hold-active-forbidden = the group does not allow active messages. Its owner can allow them on the bot's page in the group settings
hold-muted = the bot is muted in the group. A group admin can unmute it
hold-not-in-group = the bot is not in this group, or the openid belongs to another bot. Add the bot to the group again and check the openid in [[groups]]
hold-bot-disabled = the bot has no permission to send, or it is banned or offline. Look at its state on the QQ open platform

# Log
notice-no-groups = No group is set up yet. Add the bot to a group and mention it there; it tells the openid to write down
notice-event-unreadable = An event { $event } could not be read: { $cause }
notice-group-unknown = Group { $group } is not set up and mentioned the bot; it was told how to set itself up
notice-group-joined = The bot was added to group { $group }
notice-group-left = The bot was removed from group { $group }
notice-active-on = Group { $group } allows active messages
notice-active-off = Group { $group } does not allow active messages: lines of the game can only go out as replies, within five minutes after somebody spoke there
notice-held = Sending to group { $group } pauses, next try in { $seconds } s, lines are kept. Cause: { $cause } (code { $code })
notice-released = Sending to group { $group } works again
notice-backlog = Too many lines waited for group { $group }, or too long. Given up so far: { $lines }
notice-refused = QQ refused a message for group { $group } (code { $code }, HTTP { $status }). Lines given up: { $lines }
notice-uncertain = Nobody knows whether a message reached group { $group } (lines: { $lines }); it is not repeated, so that nothing appears twice
notice-left-behind = Lines that could not be sent before the end: { $lines }

# Settings
problem-openid-empty = [[groups]] entry { $position } has no openid and is left out
problem-openid-twice = [[groups]] entry { $position } repeats the openid { $openid }… and is left out; the first entry counts
problem-openid-is-number = [[groups]] entry { $position } has a group number. An openid belongs there: mention the bot in the group, and it tells it
problem-placeholder-unknown = [messages] { $template } has an unknown placeholder { $name }, which is left as typed; it can have: { $known }
problem-brace-not-closed = [messages] { $template } has a "{"{"}" without its "{"}"}", which is left as typed; a brace itself is written twice
problem-brace-not-opened = [messages] { $template } has a "{"}"}" without its "{"{"}", which is left as typed; a brace itself is written twice
problem-section-sign = [messages] { $template } has a colour code (§), which is taken out of every line
problem-limit-out-of-range = [limits] { $limit } = { $value } is out of range: { $min } to { $max }; the nearest value counts
