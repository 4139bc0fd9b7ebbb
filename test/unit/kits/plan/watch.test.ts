/** The plan as a contract: what leaves it is announced or asked about once, and at the end it is told what came of it. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { refold } from "#agent/words/follower.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { runs, writes } from "#agent/words/footprint.ts"
import type { Answer } from "#agent/words/question.ts"
import { type AnyTool, answered, type Outcome } from "#agent/words/tool.ts"
import { isPlannedFile, outsidePlan } from "#kits/plan/contract.ts"
import { digestOf } from "#kits/plan/file.ts"
import type { Enforcement } from "#kits/plan/ports.ts"
import * as shape from "#lib/shape.ts"
import { openPlan, type OpenPlan } from "./open-plan.ts"

const writeTool: AnyTool = defineTool({
  name: "Write",
  description: "",
  input: shape.object({ file_path: shape.string() }),
  title: ({ file_path }) => `Write ${file_path}`,
  footprint: ({ file_path }) => writes(file_path),
  run: async () => answered("written"),
})
const bashTool: AnyTool = defineTool({
  name: "Bash",
  description: "",
  input: shape.object({ command: shape.string() }),
  title: ({ command }) => command,
  footprint: ({ command }) => runs(command),
  run: async ({ command }) => answered("ran", { display: { kind: "terminal", command, output: "", exitCode: 0 } }),
})

const plan = `## Files to create
- \`src/new.ts\`
## Files to modify
- \`src/a.ts\`
- \`docs/\`
- \`test/*.test.ts\`
## Commands
- \`npm test\`
`

function implementing(enforce: Enforcement, answer?: Answer, text = plan): OpenPlan {
  const t = openPlan({ enforce, ...(answer && { answer: () => answer }) })
  const named = t.kit.named()
  mkdirSync(dirname(named.path), { recursive: true })
  writeFileSync(named.path, text)
  t.record({ kind: "plan", change: "approved", ...named, digest: digestOf(text) })
  return t
}

let calls = 0
async function act(
  t: OpenPlan,
  tool: AnyTool,
  input: { readonly [field: string]: string },
  more: { readonly consented?: boolean; readonly fails?: boolean; readonly onlyReads?: boolean } = {},
): Promise<Outcome> {
  const callId = `call${calls++}`
  const footprint = tool.footprint(input)
  t.record({
    kind: "reply",
    messageId: "m",
    model: "x",
    block: { type: "tool_use", id: callId, name: tool.name, input },
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  })
  if (more.consented)
    t.record({ kind: "decision", callId, tool: tool.name, behavior: "allow", reason: { kind: "person" }, message: "" })
  const outcome = await t.kit.watch(
    {
      callId,
      signal: new AbortController().signal,
      progress: () => {},
      tool,
      input,
      parsed: input,
      footprint,
      ...(more.onlyReads && { boundary: { by: "judgement", writes: [], reads: [], mustHold: true } as const }),
    },
    async (call) => {
      t.record({
        kind: "intent",
        callId,
        tool: tool.name,
        title: "",
        files: footprint.writes.map((path) => ({ path, before: "" })),
      })
      return call.tool.run(call.parsed, call)
    },
  )
  t.record({
    kind: "result",
    callId,
    tool: tool.name,
    content: outcome.content,
    isError: outcome.isError || more.fails === true,
    ...(outcome.display && { display: outcome.display }),
    durationMs: 1,
  })
  return outcome
}
const put = (t: OpenPlan, name: string, more = {}): Promise<Outcome> =>
  act(t, writeTool, { file_path: t.folder.join("project", name) }, more)
const run = (t: OpenPlan, command: string, more = {}): Promise<Outcome> => act(t, bashTool, { command }, more)
const notices = ({ entries }: OpenPlan): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))

test("warn: each thing outside is announced once, to the person and to the model, and runs", async () => {
  using t = implementing("warn")
  for (const name of ["src/new.ts", "src/a.ts", "docs/x/y.md", "test/z.test.ts"]) await put(t, name)
  await run(t, "npm test -- auth")
  await run(t, "cd src && npm test")
  expect(notices(t)).toEqual([])
  expect((await put(t, "src/b.ts")).content).toBe("written")
  await put(t, "src/b.ts")
  await run(t, "npm install left-pad")
  await run(t, "ls", { onlyReads: true })
  expect(notices(t)).toEqual([
    "Outside the approved plan: src/b.ts.",
    "Outside the approved plan: the command `npm install left-pad`.",
  ])
  expect(await t.gather()).toEqual(["plan_outside"])
  expect(await t.gather()).toEqual([])
  await put(t, "src/b.ts")
  expect(notices(t)).toHaveLength(2)
  expect(t.asked).toEqual([])
})

test("pause: it is asked once with the reason; yes holds for that thing", async () => {
  using t = implementing("pause", { kind: "allow" })
  expect((await put(t, "src/b.ts")).content).toBe("written")
  expect((await put(t, "src/b.ts")).content).toBe("written")
  expect(t.asked).toHaveLength(1)
  expect(t.asked[0]).toMatchObject({
    kind: "permission",
    tool: "Write",
    decision: { behavior: "ask", message: "The approved plan does not name src/b.ts." },
  })
})

test.each([
  [{ kind: "deny", words: "keep to it", interrupt: false }, "keep to it", undefined],
  [{ kind: "deny", interrupt: false }, "does not name this", true],
  [{ kind: "unanswered", why: "" }, "nobody can be asked", undefined],
  [{ kind: "allow", updatedInput: { file_path: "/etc/passwd" } }, "was not made", undefined],
] as const)("pause: %j does not run it", async (answer, words, rejected) => {
  using t = implementing("pause", answer)
  const outcome = await put(t, "src/b.ts")
  expect(outcome.content).toContain(words)
  expect(outcome.isError).toBe(true)
  expect(outcome.rejected).toBe(rejected)
  expect(t.entries.some(({ kind }) => kind === "intent")).toBe(false)
})

test("whoever has just consented to the very call is not asked a second time", async () => {
  using t = implementing("pause", { kind: "deny", interrupt: true })
  expect((await put(t, "src/b.ts", { consented: true })).content).toBe("written")
  expect(t.asked).toEqual([])
  expect(notices(t)).toHaveLength(1)
})

test("off, no plan, a plan without headings, and a new planning: nothing is watched", async () => {
  using off = implementing("off")
  await put(off, "x.ts")
  using none = openPlan({ enforce: "pause" })
  await put(none, "x.ts")
  using plain = implementing("pause", undefined, "# Just words")
  await put(plain, "x.ts")
  using again = implementing("pause")
  again.record({ kind: "mode", mode: "plan" })
  await put(again, "x.ts")
  for (const t of [off, none, plain, again]) expect([notices(t), t.asked]).toEqual([[], []])
})

test("the plan file itself is never outside", async () => {
  using t = implementing("pause")
  expect((await act(t, writeTool, { file_path: t.kit.named().path })).content).toBe("written")
})

test("a plan that is gone is not watched in silence", async () => {
  using t = openPlan({ enforce: "warn" })
  t.record({ kind: "plan", change: "approved", slug: "gone", path: t.folder.join("gone.md"), digest: "d" })
  await put(t, "x.ts")
  await put(t, "y.ts")
  expect(notices(t)).toEqual(["The plan is not watched over: the approved plan is not there any more."])
})

describe("the end", () => {
  test("the summary says what was done, skipped and added; what failed was not done", async () => {
    using t = implementing("off")
    expect(t.kit.rest?.()).toEqual([])
    await put(t, "src/new.ts")
    await put(t, "src/a.ts", { fails: true })
    await put(t, "src/extra.ts")
    await run(t, "npm test")
    expect(t.kit.summary()).toEqual({
      done: [
        { kind: "file", name: "src/new.ts" },
        { kind: "command", name: "npm test" },
      ],
      skipped: [
        { kind: "file", name: "src/a.ts" },
        { kind: "file", name: "docs/" },
        { kind: "file", name: "test/*.test.ts" },
      ],
      added: [{ kind: "file", name: "src/extra.ts" }],
    })
  })

  test("the reminder to verify comes once, when something was written", async () => {
    using t = implementing("off")
    await run(t, "npm test")
    expect(t.kit.rest?.()).toEqual([])
    await put(t, "src/a.ts")
    const [reminder] = t.kit.rest?.() ?? []
    expect(reminder?.name).toBe("plan_verify")
    expect(reminder?.text).toContain("Not seen to be done: src/new.ts")
    if (reminder) t.record({ kind: "attachment", ...reminder })
    expect(t.kit.rest?.()).toEqual([])
  })

  test("what came of it is told to the user at the end of a turn that worked on it, once", async () => {
    using t = implementing("off")
    const told = (): readonly string[] =>
      t.entries.flatMap((entry) => (entry.kind === "notice" && entry.level === "info" ? [entry.text] : []))
    await put(t, "src/new.ts")
    for (const reminder of t.kit.rest?.() ?? []) t.record({ kind: "attachment", ...reminder })
    expect(told()).toEqual([])
    for (let i = 0; i < 2; i++) t.kit.rest?.()
    const first = "Plan: 1 done (src/new.ts) · 4 skipped (src/a.ts, docs/, test/*.test.ts, npm test)"
    expect(told()).toEqual([first])
    t.record({ kind: "turn_end", turnId: "t", reason: "completed" })
    t.kit.rest?.()
    expect(told()).toEqual([first])
    await put(t, "src/extra.ts")
    t.kit.rest?.()
    expect(told()).toEqual([first, `${first} · 1 added (src/extra.ts)`])
  })

  test("a rewind to before the work forgets the work; one to before the approval, the plan's hold", async () => {
    using t = implementing("off")
    const before = [...t.entries]
    await put(t, "src/a.ts")
    refold([t.kit], before)
    expect(t.kit.summary()?.done).toEqual([])
    refold([t.kit], before.slice(0, 2))
    expect(t.kit.summary()).toBeUndefined()
    expect(t.kit.rest?.()).toEqual([])
  })
})

test.each([
  ["src/a.ts", "/p/src/a.ts", true],
  ["./src/a.ts", "/p/src/a.ts", true],
  ["/p/src/a.ts", "/p/src/a.ts", true],
  ["src/", "/p/src/deep/x.ts", true],
  ["src", "/p/srcx/a.ts", false],
  ["a.ts", "/p/src/a.ts", true],
  ["a.ts", "/p/src/aa.ts", false],
  ["src/*.ts", "/p/src/a.ts", true],
  ["src/*.ts", "/p/src/deep/a.ts", false],
  ["src/**/*.ts", "/p/src/deep/a.ts", true],
  ["src/a.ts", "/p/src/../../etc/a.ts", false],
  ["src/a.ts", "/other/src/a.ts", false],
] as const)("planned %s and %s: %p", (planned, path, expected) => {
  expect(isPlannedFile(planned, path, "/p")).toBe(expected)
})

test("tests that are commands count as planned, and files of theirs as files", () => {
  const extract = {
    create: [],
    modify: ["a.ts"],
    commands: ["npm run build"],
    tests: ["npm test", "test/x.test.ts", "log in by hand"],
  }
  expect(
    outsidePlan(extract, { writes: ["/p/test/x.test.ts"], commands: ["npm test", "npm run build && npm test"] }, "/p"),
  ).toEqual([])
  expect(outsidePlan(extract, { writes: [], commands: ["npm test; rm x"] }, "/p")).toEqual([
    { kind: "command", name: "npm test; rm x" },
  ])
})
