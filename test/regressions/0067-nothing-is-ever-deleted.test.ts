/** Nothing of a session was ever removed. Erased, it leaves no word in any table, file or output; only that somebody did it. */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileHistory } from "#ground/settings/state-folder.ts"
import { snapshotsIn } from "#ground/snapshots/carry.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres, openPostgres } from "../kit/database/postgres-server.ts"
import { opened } from "../kit/database/databases.ts"
import { openServed, type Served } from "../kit/fleet/served.ts"
import { program } from "../kit/run-codewright.ts"
import { bash, calls, edit, read, says, write } from "../kit/script.ts"

/** In everything that the session says, writes and is told. */
const word = "xylophoneword"
const other = "marimbaword"

const scenario: ScenarioFunction = ({ messages }) => {
  const text = JSON.stringify(messages)
  const about = text.includes(word) ? word : other
  const results = text.split('"tool_result"').length - 1
  if (results === 0) return calls(write(`${about}.txt`, `${about} one\n`), bash(`echo ${about} two >> ${about}.log`))
  if (results === 2) return calls(read(`${about}.txt`))
  if (results === 3) return calls(edit(`${about}.txt`, "one", "three"), bash(`rm ${about}.log`))
  return says(`Done with ${about}.`)
}

/** Every file below a folder that has the word in its name or content. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => {
    if (path.includes(text)) return true
    const whole = join(folder, path)
    return statSync(whole, { throwIfNoEntry: false })?.isFile() === true && readFileSync(whole, "latin1").includes(text)
  })
}

const idOf = (session: JsonObject): string => String(session["id"])

async function work(server: Served, token: string, about: string): Promise<JsonObject> {
  const session = await server.run(token, `Write about ${about}`, { title: `Title ${about}` })
  expect(session).toMatchObject({ stage: "completed", result: { text: `Done with ${about}.` } })
  return session
}

test.skipIf(!hasPostgres)(
  "an erased session leaves no word in any table, file or output, and others are as they were",
  async () => {
    await using postgres = await openPostgres()
    await using server = await openServed(scenario, {
      flags: () => ["--database", postgres.url],
      env: { TMPDIR: "/tmp" },
      settings: { server: { retention: { sessionDays: 30 } } },
    })
    const database = await opened({ kind: "server", url: postgres.url })
    /** The tables with a row that has the word. */
    const tablesWith = async (text: string): Promise<readonly string[]> => {
      const tables = await database.rows<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'codewright'",
      )
      const found: string[] = []
      for (const { name } of tables) {
        const rows = await database.rows(`select 1 from codewright.${name} as each where each::text ilike $1`, [
          `%${text}%`,
        ])
        if (rows.length > 0) found.push(name)
      }
      return found.toSorted()
    }
    const operator = await server.invite("operator")
    const kept = await work(server, operator, other)
    // States of files are packed, so they are counted instead of searched.
    const states = (): readonly string[] => snapshotsIn(fileHistory(server.state, server.work))
    const ofKept = states()
    const session = await work(server, operator, word)
    // A key is remembered with the answer, which says what was asked for.
    const again = { prompt: `Again ${word}`, workspace: { git: { url: "/nowhere" } } }
    const answer = await fetch(`${server.url}/api/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${operator}`, "idempotency-key": "k" },
      body: JSON.stringify(again),
    })
    const failing = (await answer.json()) as JsonObject
    while ((await server.ask(operator, "GET", `/api/sessions/${idOf(failing)}`))["stage"] !== "failed")
      await Bun.sleep(30)
    const places = [server.state, join(server.home, ".local")]
    const hidden = (text: string): readonly string[] => places.flatMap((folder) => filesWith(folder, text))
    expect(await tablesWith(word)).toEqual(
      expect.arrayContaining([
        "fleet_approvals",
        "fleet_audit",
        "fleet_events",
        "fleet_keys",
        "fleet_lines",
        "fleet_orders",
      ]),
    )
    const before = { tables: await tablesWith(other), files: hidden(other).length }
    expect(hidden(idOf(session)).length).toBeGreaterThan(0)
    expect([ofKept.length > 0, states().length > ofKept.length]).toEqual([true, true])
    for (const id of [idOf(session), idOf(failing)])
      expect((await server.ask(operator, "DELETE", `/api/sessions/${id}?erase=true`))["status"]).toBe(403)
    const erase = [program, "sessions", "delete", idOf(session), idOf(failing), "--yes", "--server", server.url]
    const env = { HOME: server.home, PATH: "/usr/bin:/bin", CODEWRIGHT_TOKEN: server.token }
    const erased = Bun.spawnSync(erase, { env })
    expect([erased.exitCode, erased.stderr.toString()]).toEqual([0, ""])
    expect((await server.ask(server.token, "GET", `/api/sessions/${idOf(session)}`))["status"]).toBe(404)
    // Workers are told, and remove what is on their disk.
    while (hidden(idOf(session)).length > 0 || hidden(word).length > 0) await Bun.sleep(30)
    while (states().length > ofKept.length) await Bun.sleep(30)
    expect(states()).toEqual(ofKept)
    expect(await tablesWith(word)).toEqual([])
    expect(server.stderr()).not.toContain(word)
    const { entries } = await server.ask(server.token, "GET", "/api/audit")
    const about = (entries as readonly JsonObject[]).filter(({ sessionId }) => sessionId === session["id"])
    expect(about).toEqual([
      { at: expect.any(String) as string, who: "ann", what: "session erased", sessionId: idOf(session) },
    ])
    // The other one can still go back.
    expect({ tables: await tablesWith(other), files: hidden(other).length }).toEqual(before)
    const lines = await server.ask(operator, "GET", `/api/sessions/${idOf(kept)}`)
    expect(lines).toMatchObject({ stage: "completed", title: `Title ${other}` })

    // What is old goes by itself, or by hand.
    await database.rows("update codewright.fleet_sessions set updated_at = 1, created_at = 1")
    await server.end("SIGTERM")
    const pruned = Bun.spawnSync([program, "serve", "prune", "--json", "--database", postgres.url], { env })
    expect([pruned.stdout.toString().trim(), pruned.stderr.toString()]).toEqual([
      JSON.stringify({ type: "pruned", sessions: 1, auditLines: 0 }),
      "",
    ])
    expect(await tablesWith(other)).toEqual([])
    const idle = Bun.spawnSync([program, "serve", "prune", "--days", "1", "--database", postgres.url], { env })
    expect(idle.stdout.toString()).toContain("Erased 0 sessions")
    await database.close()
  },
  240_000,
)
