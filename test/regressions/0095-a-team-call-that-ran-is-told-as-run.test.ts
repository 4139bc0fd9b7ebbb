/**
 * A call that changed the team's store, and whose result was not noted before the program ended, was told to the model as
 * "Not run". The program is cut off here between the two: everything after the call's intent is taken from the log.
 */

import { describe, expect, setDefaultTimeout } from "bun:test"
import { Glob } from "bun"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TeamOverview } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { calls, says } from "../kit/script.ts"
import { processesIn } from "../kit/team/processes.ts"
import { cast, type Cast } from "../suite/subagents/cast.ts"
import { add, create, done, member, send } from "../suite/team/crew.ts"
import { testsInTurns } from "../kit/turns.ts"
import { until } from "../kit/until.ts"

setDefaultTimeout(300_000)

const seen = Array.from({ length: 40 }, () => says("Seen."))
/** So much of what the lead does before it waits. */
const script = (calling: number): Cast => ({
  main: [
    ...[create, add("one", { owner: "ann" }), member("ann"), send("ann", "hello")]
      .slice(0, calling)
      .map((call) => calls(call)),
    ...seen,
  ],
  ann: [says("Ready."), calls(done("1")), calls(send("lead", "finished")), ...seen],
})
const again: Cast = { main: seen, ann: seen }

async function play(place: Place, mode: string, scenario: Cast, ...more: readonly string[]): Promise<void> {
  const argv = [...more, "--output-format", "json", "--teammate-mode", mode]
  const run = await runCodewright({ place, argv, scenario: cast(scenario) })
  await until(() => processesIn(place).length === 0)
  // What it created is nobody's to do.
  expect([0, 4]).toContain(run.code)
}

function logOf(place: Place, who: "lead" | "ann"): string {
  const logs = [...new Glob("projects/**/*.jsonl").scanSync(place.state)]
  const found = logs.find((path) => path.includes("/subagents/") === (who === "ann"))
  if (found === undefined) throw new Error(`${who} has no log`)
  return join(place.state, found)
}

/** Takes away what came after the call's intent, or with `at` the result, and what belongs to it. Returns the call's id. */
function cutAfter(log: string, tool: string, at: "intent" | "result"): string {
  const lines = readFileSync(log, "utf8").trimEnd().split("\n")
  const [, id = ""] = new RegExp(`"type":"tool_use","id":"([^"]+)","name":"${tool}"`).exec(lines.join("\n")) ?? []
  const mark = at === "intent" ? '"subtype":"intent"' : '"type":"tool_result"'
  const place = lines.findIndex((line) => line.includes(mark) && line.includes(id))
  expect(place).toBeGreaterThan(0)
  writeFileSync(log, `${lines.slice(0, at === "intent" ? place + 1 : place).join("\n")}\n`)
  return id
}

/** What the log has as the result of a call. */
function resultIn(log: string, id: string): { readonly content?: string; readonly isError: boolean } {
  const line = readFileSync(log, "utf8")
    .split("\n")
    .find((each) => each.includes('"type":"tool_result"') && each.includes(id))
  const [result] =
    line === undefined
      ? []
      : (JSON.parse(line) as { message: { content: [{ content: string; is_error?: boolean }] } }).message.content
  return { ...(result && { content: result.content }), isError: result?.is_error ?? false }
}

const look = async (place: Place): Promise<TeamOverview> => {
  const team = await readTeamOverview(place.state, "crew", systemClock)
  if (!team) throw new Error("no team")
  return team
}

const modes = ["in-process", "process"] as const
const stories = testsInTurns(modes.length)

for (const [nth, mode] of modes.entries())
  describe(mode, () => {
    for (const { tool, who, calling, at = "intent" } of [
      { tool: "TeamCreate", who: "lead", calling: 1 },
      { tool: "TaskCreate", who: "lead", calling: 2 },
      { tool: "Task", who: "lead", calling: 3, at: "result" },
      { tool: "SendMessage", who: "lead", calling: 4 },
      { tool: "TaskUpdate", who: "ann", calling: 4 },
      { tool: "SendMessage", who: "ann", calling: 4 },
    ] as const)
      stories[nth]?.(`${tool} of ${who}`, async () => {
        using place = openPlace()
        await play(place, mode, script(calling), "-p", "go")
        const before = await look(place)
        const log = logOf(place, who)
        const whole = join(place.path, "whole.jsonl")
        copyFileSync(log, whole)
        const id = cutAfter(log, tool, at)
        await play(place, mode, again, "-c", "-p", "go on")
        const [was, is] = [resultIn(whole, id), resultIn(log, id)]
        expect([was.isError, is.isError]).toEqual([false, false])
        if (tool === "Task") expect(is.content).toStartWith("ann is in the team crew now (general-purpose agent ")
        else expect(is).toEqual(was)
        const after = await look(place)
        expect(after.tasks).toEqual(before.tasks)
        expect(after.members.map(({ name, sessionId }) => [name, sessionId])).toEqual(
          before.members.map(({ name, sessionId }) => [name, sessionId]),
        )
        const sent = ({ mail }: TeamOverview): readonly number[] =>
          mail.flatMap(({ text, seq }) => (text === "hello" || text === "finished" ? [seq] : []))
        expect(sent(after)).toEqual(sent(before))
      })
  })
