/** What earlier versions wrote is read by this one: each log is shown, exported and continued, and settings raise no complaint. */

import { describe, expect, test } from "bun:test"
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { dataOf, documentOf } from "#faces/cli/sessions/sessions-export.ts"
import { openStored, readSession } from "#faces/cli/sessions/read-session.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { trajectory } from "../../kit/atif.ts"

const released = join(import.meta.dir, "../../fixtures/released")
const sessionId = "5f1d0000-0000-4000-8000-000000000001"
const logs = readdirSync(released).flatMap((version) =>
  readdirSync(join(released, version, "logs")).map((feature) => ({ version, feature })),
)

/** A state folder that has the log and nothing else, in the folder that the log names. */
function openWith(version: string, feature: string): Place {
  const place = openPlace()
  const work = "/tmp/codewright-released/work"
  mkdirSync(work, { recursive: true })
  cpSync(join(released, version, "logs", feature), join(place.state, "projects", work.replaceAll("/", "-")), {
    recursive: true,
  })
  return place
}

describe.each(logs)("$version: $feature", ({ version, feature }) => {
  test("is shown and exported whole", async () => {
    using place = openWith(version, feature)
    const projects = join(place.state, "projects")
    const catalog = join(place.state, "cache", "sessions.sqlite")
    const where = { home: place.home, state: place.state, cwd: place.work, projects, catalog }
    const read = await readSession(sessionId, where)
    if (!read.ok) throw new Error(read.failure)
    expect(read.value.notes).toEqual([])
    expect(read.value.entries.length).toBe(linesIn(version, feature))
    const stored = await openStored(sessionId, where)
    if (!stored.ok) throw new Error(stored.failure)
    expect(stored.value.log.notes).toEqual([])
    expect([...stored.value.log.conversation()].flatMap(({ entries }) => entries)).toEqual([...read.value.path])
    const markdown = [...documentOf(stored.value, "md").pieces].join("")
    expect(markdown).toContain("## Prompt")
    for (const format of ["html", "json"] as const)
      expect([...documentOf(stored.value, format).pieces].join("")).toContain(sessionId)
    const port = { state: place.state, warn: () => {} }
    expect([...(await dataOf(stored.value, "patch", port)).pieces].every((text) => text.startsWith("diff"))).toBe(true)
    const atif = await dataOf(stored.value, "atif", port)
    expect(trajectory.safeParse(JSON.parse([...atif.pieces].join(""))).error).toBe(undefined)
  })

  test("is continued", async () => {
    using place = openWith(version, feature)
    const argv = ["-p", "Are you still there?", "--resume", sessionId]
    const run = await runCodewright({ place, argv, scenario: ["Still here."] })
    expect({ code: run.code, stdout: run.stdout, stderr: run.stderr }).toEqual({
      code: 0,
      stdout: "Still here.\n",
      stderr: expect.not.stringMatching(/damage|missing|cannot|lost/),
    })
    const sent = JSON.stringify(run.requests[0]?.body)
    expect(sent).toContain("Are you still there?")
    expect(sent).toContain(firstPrompt[feature] ?? "")
  })
})

test.each(readdirSync(released))("%s: its settings are read without complaint", async (version) => {
  using place = openPlace()
  const settings = readFileSync(join(released, version, "settings/user.json"), "utf8")
  place.write(join(place.state, "settings.json"), settings)
  const run = await runCodewright({ place, argv: ["config", "get", "plansDirectory"] })
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
  expect(run.stdout).toContain("plans")
})

test("every feature has a log of every version", () => {
  expect(logs.filter(({ feature }) => firstPrompt[feature] === undefined)).toEqual([])
})

/** What the model must still know. */
const firstPrompt: { readonly [feature: string]: string } = {
  tools: "change it",
  plan: "plan it",
  resumed: "hello",
  rewound: "one",
  compacted: "Numbers were printed.",
  agents: "ask for help",
  killed: "wait",
  cut: "read it",
  goal: "make done.txt",
  loop: "look at the build",
  messages: "The tests moved to spec.",
  deferred: "but quietly",
  gates: "begin",
  slash: "count",
  recorded: "and now",
  team: "ask a team",
  workflow: "say both",
}

/** Entries, so all lines but the header. */
const linesIn = (version: string, feature: string): number =>
  readFileSync(join(released, version, "logs", feature, `${sessionId}.jsonl`), "utf8")
    .trimEnd()
    .split("\n").length - 1
