// A player without a screen: joins a Minecraft server in offline mode. A line in is a command, a JSON line out is an event.
//
//   node player.mjs --host 127.0.0.1 --port 25565 --name Steve --version 26.1
//
// Commands: {"type":"say","text":"…"}, {"type":"quit"}. The end of standard input is a quit too, so that no player outlives its driver.
// Events:   {"type":"state","name":"configuration"}, {"type":"spawned"}, {"type":"chat","text":"…","seen_unix_ms":…},
//           {"type":"commands","names":["auk","auk status",…]}, {"type":"kicked","text":"…"}, {"type":"error","text":"…"}, {"type":"withheld","name":"…"}, {"type":"end"}.
//
// With --withhold NAME the client never sends the packet of that name, as if it were lost.

import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const require = createRequire(import.meta.url)

// Strings in NBT are in Java's modified UTF-8, but the library reads them as UTF-8 and breaks every character outside the basic plane.
// Read as Latin-1, one character is one byte, and decodeModifiedUtf8 below does the rest. This must come before the library is loaded.
require('prismarine-nbt/nbt.json').shortString[1].encoding = 'latin1'
const { createClient } = require('minecraft-protocol')
const { processNbtMessage } = require('prismarine-chat')

const { values: flags } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '25565' },
    name: { type: 'string', default: 'Steve' },
    version: { type: 'string', default: '26.1' },
    withhold: { type: 'string' }
  }
})

const client = createClient({
  host: flags.host,
  port: Number(flags.port),
  username: flags.name,
  version: flags.version,
  auth: 'offline'
})

let ended = false

if (flags.withhold !== undefined) withhold(flags.withhold)

// How far a join has come: login, configuration, play.
client.on('state', name => emit('state', { name }))
client.on('position', () => emitOnce('spawned'))
client.on('system_chat', packet => {
  const seenUnixMs = performance.timeOrigin + performance.now()
  if (!packet.isActionBar) emit('chat', { text: textOf(packet.content), seen_unix_ms: seenUnixMs })
})
client.on('declare_commands', packet => emit('commands', { names: commandNames(packet.nodes, packet.rootIndex, '') }))
client.on('disconnect', packet => emit('kicked', { text: textOf(packet.reason) }))
client.on('kick_disconnect', packet => emit('kicked', { text: textOf(packet.reason) }))
client.on('error', error => emit('error', { text: String(error?.message || error) }))
client.on('end', end)

const commands = createInterface({ input: process.stdin, crlfDelay: Infinity })
commands.on('line', obey)
commands.on('close', quit)
process.on('SIGTERM', quit)

function withhold (name) {
  const write = client.write.bind(client)
  client.write = (packet, fields) => packet === name ? emit('withheld', { name }) : write(packet, fields)
}

function obey (line) {
  if (line.trim() === '') return
  let command
  try {
    command = JSON.parse(line)
  } catch {
    emit('error', { text: `a command is one line of JSON, not: ${line}` })
    return
  }
  if (command?.type === 'say' && typeof command.text === 'string') say(command.text)
  else if (command?.type === 'quit') quit()
  else emit('error', { text: `an unknown command: ${line}` })
}

/** The game takes 256 UTF-16 units a line, and a server throws out who sends more. */
function say (text) {
  if (text.length > 256) emit('error', { text: `a chat line has 256 characters at most, this one has ${text.length}` })
  else if (text !== '') client.chat(text)
}

function quit () {
  client.end()
  // A connection that was never made has no end of its own.
  setTimeout(end, 500).unref()
}

function end () {
  if (ended) return
  ended = true
  emit('end')
  process.stdout.end(() => process.exit(0))
}

/** The words that may be typed from a node of the command tree on, two levels of them. */
function commandNames (nodes, index, before) {
  return nodes[index].children.filter(child => nodes[child].flags.command_node_type === 1).flatMap(child => {
    const name = before + nodes[child].extraNodeData.name
    return before === '' ? [name, ...commandNames(nodes, child, name + ' ')] : [name]
  })
}

const emitted = new Set()

function emitOnce (type) {
  if (emitted.has(type)) return
  emitted.add(type)
  emit(type)
}

function emit (type, fields = {}) {
  process.stdout.write(JSON.stringify({ type, ...fields }) + '\n')
}

/** The plain text of a chat component, which comes as NBT (from 1.20.3 on) or as JSON. */
function textOf (content) {
  if (typeof content === 'string') return plain(parsed(content), text => text)
  const json = processNbtMessage(content)
  return json === null ? '' : plain(JSON.parse(json), decodeModifiedUtf8)
}

function parsed (text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A component's own text, then that of its children; a translated one is its key and what fills it. */
function plain (component, decode) {
  if (component === null || component === undefined) return ''
  if (typeof component !== 'object') return decode(String(component))
  if (Array.isArray(component)) return component.map(child => plain(child, decode)).join('')
  const own = component.translate === undefined
    ? decode(String(component.text ?? component[''] ?? ''))
    : [decode(component.translate), ...(component.with ?? []).map(child => plain(child, decode))].join(' ')
  return own + plain(component.extra ?? [], decode)
}

/** Java's modified UTF-8 (java.io.DataInput): NUL is C0 80, and each half of a surrogate pair has three bytes of its own. */
function decodeModifiedUtf8 (bytes) {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const first = bytes.charCodeAt(at)
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : 3
    let unit = length === 1 ? first : length === 2 ? first & 0x1f : first & 0x0f
    for (let next = 1; next < length; next++) unit = unit << 6 | bytes.charCodeAt(at + next) & 0x3f
    text += String.fromCharCode(unit)
    at += length
  }
  return text
}
