/** What does an editor's new session cost, from the start of the program? And what does a streamed update cost? */

import { readFileSync } from "node:fs"
import type { Event } from "#agent/words/event.ts"
import { openRpc } from "#lib/json-rpc.ts"
import { openUpdates } from "#faces/acp/updates.ts"
import { systemIds } from "#lib/ids.ts"
import { program } from "./kit/agent.ts"
import { says } from "./kit/answers.ts"
import { median, percentile, shown } from "./kit/figures.ts"
import { openModelServer } from "./kit/model-server.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const server = openModelServer({ bodies: "dropped", answer: () => [says("Done.")] })
const place = makePlace()
const spent: { readonly first: number; readonly next: number }[] = []
for (let i = 0; i < 10; i++) spent.push(await newSessions())
place.remove()
server.close()
const firsts = spent.map(({ first }) => first)

answer(
  rowOf({
    what: "an editor's first session, processor time since the start of the program",
    ours: median(firsts),
    unit: "ms",
    toReach: 100,
    note: `p95 ${shown(percentile(firsts, 95), "ms")}`,
  }),
  rowOf({
    what: "each further session in the same editor, processor time",
    ours: median(spent.map(({ next }) => next)),
    unit: "ms",
    toReach: 100,
  }),
  rowOf({ what: "a streamed update to an editor", ours: median(streamed()), unit: "us", toReach: 10 }),
)

async function newSessions(): Promise<{ readonly first: number; readonly next: number }> {
  const child = Bun.spawn([program, "acp"], {
    cwd: place.work,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: place.home,
      CODEWRIGHT_HOME: place.state,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "x",
    },
    stdio: ["pipe", "pipe", "ignore"],
  })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let text = ""
  const ask = async (id: number, method: string, params: object): Promise<void> => {
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    void child.stdin.flush()
    while (!text.includes(`"id":${id},"result"`)) text += decoder.decode((await reader.read()).value)
  }
  await ask(1, "initialize", { protocolVersion: 1 })
  await ask(2, "session/new", { cwd: place.work, mcpServers: [] })
  const first = processorMs(child.pid)
  for (let id = 3; id < 8; id++) await ask(id, "session/new", { cwd: place.work, mcpServers: [] })
  const next = (processorMs(child.pid) - first) / 5
  await child.stdin.end()
  void (async () => {
    while (!(await reader.read()).done);
  })()
  await child.exited
  return { first, next }
}

/** In user and system mode, of all threads. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Microseconds for each of 1,000 updates, from the event to the line. */
function streamed(): readonly number[] {
  let bytes = 0
  const rpc = openRpc((line) => (bytes += line.length), { method: "$/cancel_request", answers: "also withdrawn" })
  const sessionId = systemIds.uuid()
  const updates = openUpdates({
    cwd: "/work",
    send: (update) => rpc.notify("session/update", { sessionId, update }),
    shows: { notices: true, compaction: true, terminals: false },
    isOwn: () => true,
    ids: systemIds,
  })
  const event: Event = {
    cursor: "1",
    type: "model_delta",
    messageId: "msg_1",
    delta: { type: "text_delta", index: 0, text: "a few words of an answer " },
  }
  return Array.from({ length: 21 }, () => {
    const from = performance.now()
    for (let i = 0; i < 1_000; i++) updates.onEvent(event)
    return performance.now() - from
  })
}
