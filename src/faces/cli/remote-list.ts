/** `codewright sessions --server`: the sessions of a server, one on a line. */

import { systemClock } from "#lib/clock.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { bared } from "#lib/printable.ts"
import { readNumber } from "./numbers.ts"
import { openRemote } from "./remote.ts"
import { minute, money, nameOf } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"

export async function listRemote({ args, where, io }: SessionsCall, server: string): Promise<number> {
  const limit = readNumber("--limit", args.value("limit") ?? "20", { least: 1, most: 100_000, whole: true })
  if (!limit.ok) return io.fail(limit.failure)
  const remote = openRemote(server, where.state, systemClock)
  if (!remote.ok) return io.fail(remote.failure)
  const sessions: JsonObject[] = []
  for (let after = ""; sessions.length < limit.value;) {
    const most = Math.min(200, limit.value - sessions.length)
    const page = await remote.value.ask("GET", `/api/sessions?limit=${most}&after=${after}`)
    if (!page.ok) return io.fail(page.failure)
    const { sessions: found, next } = page.value
    sessions.push(...(Array.isArray(found) ? found.filter(isObject) : []))
    if (typeof next !== "string") break
    after = next
  }
  if (args.has("json")) io.write(`${JSON.stringify(sessions, null, 2)}\n`)
  else if (sessions.length === 0) io.say("No sessions.")
  else io.say(sessions.map(line).join("\n"))
  return 0
}

function line({ id, title, stage, costUsd, createdAt, pending }: JsonObject): string {
  const waits = Array.isArray(pending) && pending.length > 0 ? `  (${pending.length} waiting)` : ""
  const cost = typeof costUsd === "number" && costUsd > 0 ? money(costUsd) : ""
  const name = bared(nameOf({ title: String(title), firstPrompt: "" }))
  return `${String(id)}  ${minute(Date.parse(String(createdAt)))}  ${String(stage).replaceAll("_", " ").padEnd(22)}  ${cost.padStart(8)}  ${name}${waits}`
}
