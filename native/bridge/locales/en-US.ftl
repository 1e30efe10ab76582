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

# Log: why sending pauses when QQ cannot be asked
hold-network = QQ cannot be reached. It is tried again by itself; nothing to do.

# Log
notice-no-groups = No group is set up yet. Add the bot to a group and mention it there; it tells the openid to write down
notice-event-unreadable = An event { $event } could not be read: { $cause }
notice-group-unknown = Group { $group } is not set up and mentioned the bot; it was told how to set itself up
notice-group-joined = The bot was added to group { $group }
notice-group-left = The bot was removed from group { $group }
notice-active-on = Group { $group } allows active messages
notice-active-off = Group { $group } does not allow active messages: lines of the game can only go out as replies, within five minutes after somebody spoke there
notice-held = Sending to group { $group } pauses (code { $code }), next try in { $seconds } s, lines are kept. { $advice }
notice-released = Sending to group { $group } works again
notice-backlog = Too many lines waited for group { $group }, or too long. Given up so far: { $lines }
notice-refused = QQ refused a message for group { $group } (code { $code }, HTTP { $status }). Lines given up: { $lines }. { $advice }
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
