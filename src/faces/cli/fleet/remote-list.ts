/** The sessions of a server: all of them, one on a line (`codewright sessions --server`), and the one that is meant. */

import { systemClock } from "#lib/clock.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import { openRemote, type Remote } from "./remote.ts"
import { minute, money, nameOf } from "#faces/cli/sessions/session-line.ts"
import type { SessionsCall } from "#faces/cli/sessions/sessions-call.ts"

export async function listRemote({ args, io }: SessionsCall, server: string): Promise<number> {
  const limit = readNumber("--limit", args.value("limit") ?? "20", { least: 1, most: 100_000, whole: true })
  if (!limit.ok) return io.fail(limit.failure)
  const remote = openRemote(server, systemClock)
  if (!remote.ok) return io.fail(remote.failure)
  const found = await remoteSessions(remote.value, limit.value)
  if (!found.ok) return io.fail(found.failure)
  const sessions = found.value
  if (args.has("json")) io.write(`${JSON.stringify(sessions, null, 2)}\n`)
  else if (sessions.length === 0) io.say("No sessions.")
  else io.say(sessions.map(line).join("\n"))
  return 0
}

/** The one session whose id is this, or starts with it. */
export async function pickRemote(prefix: string, remote: Remote): Promise<Result<string, string>> {
  const exact = await remote.ask("GET", `/api/sessions/${prefix}`)
  if (exact.ok) return ok(prefix)
  const sessions = await remoteSessions(remote, Infinity)
  if (!sessions.ok) return failed(exact.failure)
  const matching = sessions.value.filter(({ id }) => String(id).startsWith(prefix))
  const [first, ...more] = matching
  if (!first)
    return failed(
      `No session id on ${remote.url} starts with '${prefix}'. List sessions with: codewright sessions --server ${remote.url}`,
    )
  if (more.length === 0) return ok(String(first["id"]))
  return failed(
    `${matching.length} session ids start with '${prefix}'. Give more characters:\n${matching.map(line).join("\n")}`,
  )
}

/** The newest first. */
async function remoteSessions(remote: Remote, limit: number): Promise<Result<readonly JsonObject[], string>> {
  const sessions: JsonObject[] = []
  for (let after = ""; sessions.length < limit;) {
    const most = Math.min(200, limit - sessions.length)
    const page = await remote.ask("GET", `/api/sessions?limit=${most}&after=${after}`)
    if (!page.ok) return page
    const { sessions: found, next } = page.value
    sessions.push(...(Array.isArray(found) ? found.filter(isObject) : []))
    if (typeof next !== "string") break
    after = next
  }
  return ok(sessions)
}

function line({ id, title, stage, costUsd, createdAt, pending, stuck, queued }: JsonObject): string {
  const waits = Array.isArray(pending) && pending.length > 0 ? `  (${pending.length} waiting)` : ""
  const cost = typeof costUsd === "number" && costUsd > 0 ? money(costUsd) : ""
  const name = forConsent(nameOf({ title: String(title), firstPrompt: "" }))
  const said = [stuck, queued].find((each) => typeof each === "string")
  const waiting = typeof stuck === "string" ? "no worker" : "queued"
  const doing = said === undefined ? String(stage).replaceAll("_", " ") : waiting
  const why = typeof said === "string" ? `\n  ${forConsent(said)}` : ""
  return `${String(id)}  ${minute(Date.parse(String(createdAt)))}  ${doing.padEnd(22)}  ${cost.padStart(8)}  ${name}${waits}${why}`
}
