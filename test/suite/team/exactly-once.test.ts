/**
 * A lead that is killed again and again while it sends messages and creates tasks: none is lost and none is there twice.
 * CODEWRIGHT_TEAM_KILLS says how often; 50 kills go with 1,000 messages and 200 tasks.
 */

import { expect, setDefaultTimeout, test } from "bun:test"
import { Glob } from "bun"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { seededIds } from "#lib/ids.ts"
import { systemClock } from "#lib/clock.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { calls, says } from "../../kit/script.ts"
import { processesIn } from "../../kit/team/processes.ts"
import { add, create, member, send } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(Infinity)

const kills = Number(process.env["CODEWRIGHT_TEAM_KILLS"] ?? 3)
const wanted = [
  ...Array.from({ length: kills * 20 }, (_, i) => ({ text: `message ${i}.`, call: send("ann", `message ${i}.`) })),
  ...Array.from({ length: kills * 4 }, (_, i) => ({ text: `task ${i}.`, call: add(`task ${i}.`, { owner: "lead" }) })),
]
/** So many calls in one answer. */
const atOnce = 10

for (const mode of ["in-process", "process"])
  test(`${wanted.length} calls of a lead that is killed ${kills} times, ${mode}`, async () => {
    using place = openPlace()
    const { random } = seededIds(kills)
    const argv = ["--output-format", "json", "--teammate-mode", mode]
    for (let left = kills; left >= 0; left--) {
      let answers = 0
      let reached = (): void => {}
      const there = new Promise<void>((resolve) => void (reached = resolve))
      // Killed somewhere among the calls of one of the first answers.
      const killAt = 1 + Math.floor(random() * 3)
      const run = await runCodewright({
        place,
        argv: [...(left === kills ? [] : ["-c"]), "-p", "go on", ...argv],
        scenario(request) {
          const reply = answer(request)
          if (reply.isLeads && ++answers === killAt) reached()
          return reply.reply
        },
        ...(left > 0 && {
          async during({ kill }) {
            await there
            await Bun.sleep(random() * 120)
            kill("SIGKILL")
          },
        }),
      })
      await until(() => processesIn(place).length === 0)
      // Nobody does what it created.
      if (left === 0) expect([run.code, run.stdout.includes('"subtype":"error_open_tasks"')]).toEqual([4, true])
    }
    const team = await readTeamOverview(place.state, "crew", systemClock)
    expect(team?.tasks.map(({ subject }) => subject)).toEqual(wanted.slice(kills * 20).map(({ text }) => text))
    expect(heardBy(place)).toEqual(wanted.slice(0, kills * 20).map(({ text }) => text))
  })

/** A model that does what it is told: whatever has no good result yet is called again. */
function answer(request: SimRequest): { readonly isLeads: boolean; readonly reply: ScenarioReply } {
  if (JSON.stringify(request.messages[0]?.content).includes("ann: do it."))
    return { isLeads: false, reply: says("Heard.") }
  const done = succeeded(request)
  if (!done.has("TeamCreate")) return { isLeads: false, reply: calls(create) }
  if (!done.has("Task")) return { isLeads: false, reply: calls(member("ann")) }
  const next = wanted.filter(({ text }) => !done.has(text)).slice(0, atOnce)
  return { isLeads: true, reply: next.length === 0 ? says("All done.") : calls(...next.map(({ call }) => call)) }
}

/** What the conversation has good results for: the names of tools, and the texts of messages and tasks. */
function succeeded({ messages }: SimRequest): ReadonlySet<string> {
  const names = new Map<string, readonly string[]>()
  const done = new Set<string>()
  for (const { content } of messages)
    for (const block of Array.isArray(content) ? (content as readonly Block[]) : []) {
      if (block.type === "tool_use") names.set(block.id, [block.name, block.input.message ?? block.input.subject ?? ""])
      if (block.type === "tool_result" && !block.is_error)
        for (const name of names.get(block.tool_use_id) ?? []) done.add(name)
    }
  return done
}

type Block =
  | {
      readonly type: "tool_use"
      readonly id: string
      readonly name: string
      readonly input: { message?: string; subject?: string }
    }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly is_error?: boolean }
  | { readonly type: "text" }

/** The messages in the log of the member, in the order in which they came. */
function heardBy(place: Place): readonly string[] {
  const logs = [...new Glob("projects/**/subagents/*.jsonl").scanSync(place.state)]
  const lines = logs.flatMap((log) => readFileSync(join(place.state, log), "utf8").split("\n"))
  const texts = lines
    .filter((line) => line.includes('"type":"attachment"'))
    .map((line) => (JSON.parse(line) as { attachment: { text: string } }).attachment.text)
  return texts.flatMap((text) => [...text.matchAll(/message \d+\./g)].map(([found]) => found))
}
