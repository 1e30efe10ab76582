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

# /auk: what the commands do
help-status = Shows how the connection to QQ and the groups are
help-reload = Reads the settings again
help-reconnect = Drops the connection to QQ and makes another
help-send = Sends a line to the groups in the server's name
help-test = Sends a test line to each group and tells whether it arrived
help-help = Lists the commands

# /auk: answers
command-unknown = There is no command "{ $name }". After /{ $root } comes one of: { $names }
command-incomplete = The command is not complete. Usage: { $usage }
command-stopping = The bridge is stopping; nothing was done
off-reason = Auk is off: { $reason }
off-advice = Mend config/auk/auk.toml, then type /auk reload; the server is not affected
reload-taken = The settings were read and are in use. Groups: { $groups }
reload-refused = The new settings are not in use; the old ones stay
reconnect-ready = The connection to QQ is dropped and made anew; the session is kept
reconnect-under-way = An attempt to connect is under way; there is no need of another
reconnect-now = An attempt to connect is made at once, as far as the limits allow; /auk status tells how it went
send-nothing = Nothing of this line can be shown, so it was not sent
send-unwanted = No group takes lines of the game (from_game is off), so it was not sent
send-queued = Queued. Groups: { $groups }
send-kept = Queued. Groups: { $groups }. QQ is not connected now; it goes out once it is
test-line = a test of Auk, asked for by { $caller }
test-group = Group { $group }: { $verdict }
test-arrived = it arrived
test-refused = QQ refused it. { $advice }
test-uncertain = nobody knows whether it arrived; it is not repeated, so that it does not appear twice
test-given-up = it was given up before it was sent
test-offline = it waits: QQ is not connected now, and it goes out once it is; see /auk status
test-waits = it waits and goes out later. { $obstacle }
test-unanswered = it was sent, and QQ has not answered yet
test-behind = it waits: other lines go before it
obstacle-nobody-spoke = Lines go out only as replies, within five minutes after somebody spoke in the group.
obstacle-pace = As many messages went out as may in a minute; it goes on within one.

# /auk status
status-state = QQ: { $state } (for { $since })
status-halt = The usual attempts are off: { $advice } ({ $reason })
status-next = Next: { $what } in { $span }
status-attempts = Attempts to connect: { $minute } in the last minute, { $total } since the start
status-loss = Why the last connection ended: { $cause }
status-counts = Lines: waiting { $waiting }, given up { $dropped }, uncertain { $uncertain }; messages posted to groups { $posted }, lines said in the game { $said }
status-group-open = Group { $group }: open
status-group-held = Group { $group }: held. { $obstacle }
span-seconds = { $count } s
span-minutes = { $count } min
span-hours = { $count } h
state =
    { $state ->
        [starting] starting
        [awaiting_token] fetching a token
        [awaiting_address] looking the address up
        [waiting] waiting for the next attempt
        [connecting] connecting
        [awaiting_hello] connected, waiting for the platform's greeting
        [authenticating] logging in
        [ready] connected
        [halted] the owner has to do something
        [stopping] stopping
       *[stopped] stopped
    }
deadline =
    { $what ->
        [heartbeat] heartbeat
        [back-off] another attempt
        [slow-lane] another attempt
        [connect] giving this attempt up
        [hello] giving up on the platform's greeting
        [ready] giving up on the login
        [resumed] giving up on the resumption
        [closing-handshake] the end of the closing handshake
        [address-look-up] giving this look-up up
        [address-look-up-limit] another look-up (as the limit allows)
        [connect-limit] another attempt (as the limit allows)
        [allowance-of-new-sessions] another attempt (as the allowance of new sessions allows)
        [pause-asked-for-by-the-platform] another attempt (after a pause that the platform asked for)
        [close-code-after-invalid-session] another login
        [token-request] giving this token request up
        [token-renewal] renewal of the token
       *[next-token-request] another token request
    }
