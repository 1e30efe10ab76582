// Visits the demo's page in headless Chromium as a person would: writes in the group, answers in the game, cuts the link, and waits for
// the gateway to be back. Any error on the page's console is a failure. Ends with a picture.
//
// node visit.mjs PAGE_ADDRESS PICTURE_FILE [BROWSER]
//
// The browser is driven through its pipe: JSON messages that end with a zero byte, in on descriptor 3, out on 4.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [page, picture, browser = "chromium-headless-shell"] = process.argv.slice(2);
const PATIENCE_MS = 20_000;

const profile = mkdtempSync(join(tmpdir(), "auk-page-"));
const options = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1280,800", "--lang=zh-CN",
  "--remote-debugging-pipe", `--user-data-dir=${profile}`,
];
const chromium = spawn(browser, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
chromium.on("error", (error) => fail(`the browser does not start: ${error.message}`));

const complaints = [];
const waiting = new Map();
let lastId = 0;
let received = Buffer.alloc(0);

chromium.stdio[4].on("data", (bytes) => {
  received = Buffer.concat([received, bytes]);
  for (let end = received.indexOf(0); end >= 0; end = received.indexOf(0)) {
    take(JSON.parse(received.subarray(0, end).toString("utf8")));
    received = received.subarray(end + 1);
  }
});

function take(message) {
  if (message.id !== undefined) {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }
  const details = message.params;
  if (message.method === "Runtime.exceptionThrown") complaints.push(details.exceptionDetails.text);
  if (message.method === "Runtime.consoleAPICalled" && details.type === "error") complaints.push(JSON.stringify(details.args));
  if (message.method === "Log.entryAdded" && details.entry.level === "error") complaints.push(details.entry.text);
}

function command(method, params = {}, sessionId) {
  const id = ++lastId;
  chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** Runs an expression on the page and answers its value. */
async function evaluate(session, expression) {
  const { result, exceptionDetails } = await command("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, session);
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
  return result.value;
}

/** Waits until an expression on the page is true. */
async function until(session, what, expression) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await evaluate(session, expression))) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Writes into a field and sends its form, as typing and the send button do. */
function write(session, form, field, text) {
  return evaluate(session, `(() => {
    const field = document.getElementById(${JSON.stringify(field)});
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event("input", { bubbles: true }));
    document.getElementById(${JSON.stringify(form)}).requestSubmit();
  })()`);
}

const shows = (list, text) => `document.getElementById(${JSON.stringify(list)}).textContent.includes(${JSON.stringify(text)})`;

async function visit() {
  const { targetId } = await command("Target.createTarget", { url: "about:blank" });
  const { sessionId: session } = await command("Target.attachToTarget", { targetId, flatten: true });
  for (const domain of ["Runtime", "Log", "Page"]) await command(`${domain}.enable`, {}, session);
  await command("Page.navigate", { url: page }, session);
  await until(session, "the page is ready", 'document.body?.dataset.ready === "1"');
  await until(session, "the gateway's state", 'document.getElementById("state").textContent.trim() !== ""');
  await write(session, "say", "text", "大家好，今晚八点一起打末影龙吗？");
  await until(session, "the member's line in the game", shows("gameLines", "今晚八点"));
  await write(session, "gameSay", "gameText", "算我一个，我带了 12 张床");
  await until(session, "the player's line in the group", shows("group", "12 张床"));
  await write(session, "say", "text", "查在线");
  await until(session, "the answer in the group", shows("group", "1/20"));
  await evaluate(session, 'fetch("/_sim/actions/cut", { method: "POST" }).then((answer) => answer.ok)');
  await write(session, "say", "text", "刚才断线了吗？");
  await until(session, "the line that was said after the cut", shows("gameLines", "刚才断线了吗"));
  await write(session, "gameSay", "gameText", "一条都没丢");
  await until(session, "the answer after the cut", shows("group", "一条都没丢"));
  await until(session, "the platform sees the bot again", '/online|在线/.test(document.getElementById("online").textContent)');
  const { data } = await command("Page.captureScreenshot", { format: "png" }, session);
  if (complaints.length > 0) throw new Error(`the page complained: ${complaints.join("; ")}`);
  writeFileSync(picture, Buffer.from(data, "base64"));
}

async function end() {
  const ended = new Promise((resolve) => chromium.once("exit", resolve));
  await command("Browser.close").catch(() => {});
  await ended;
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

function fail(text) {
  console.error(text);
  process.exit(1);
}

try {
  await visit();
  await end();
} catch (error) {
  chromium.kill();
  fail(error.message);
}
