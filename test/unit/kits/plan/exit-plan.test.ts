/** Presenting a plan: what is asked, what each answer records, and what the model reads. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { refold } from "#agent/words/follower.ts"
import type { Answer } from "#agent/words/question.ts"
import { wishClassifier } from "#kits/plan/classify-wish.ts"
import { digestOf, extractOf, forkPlan, plansFolder } from "#kits/plan/file.ts"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openPlan, type OpenPlan } from "./open-plan.ts"

const approve = (more: Partial<Answer & { kind: "approve" }> = {}): Answer => ({
  kind: "approve",
  mode: "acceptEdits",
  wishes: [],
  ...more,
})

function planning(given: Parameters<typeof openPlan>[0], text: string | undefined = "# Plan\n\nDo it."): OpenPlan {
  const t = openPlan(given)
  t.record({ kind: "mode", mode: "plan" })
  const { path } = t.kit.named()
  mkdirSync(dirname(path), { recursive: true })
  if (text !== undefined) writeFileSync(path, text)
  return t
}

const kinds = ({ entries }: OpenPlan): readonly string[] =>
  entries
    .slice(3)
    .map((entry) =>
      entry.kind === "plan" ? `plan ${entry.change}` : entry.kind === "mode" ? `mode ${entry.mode}` : entry.kind,
    )

test("approved: plan, grants and mode are recorded in this order, and the result holds plan and path", async () => {
  using t = planning({ answer: () => approve({ wishes: ["run tests", "never asked for"] }) })
  const outcome = await t.call("ExitPlanMode", {
    allowedPrompts: [
      { tool: "Bash", prompt: "run tests" },
      { tool: "Bash", prompt: "summon a demon" },
    ],
  })
  const plan = t.kit.named()
  expect(t.asked).toEqual([
    {
      kind: "plan",
      callId: "call",
      plan: "# Plan\n\nDo it.",
      path: plan.path,
      modes: ["default", "acceptEdits"],
      wishes: [{ prompt: "run tests", covers: expect.stringContaining("vitest") }, { prompt: "summon a demon" }],
    },
  ])
  const grants = t.entries.filter(({ kind }) => kind === "grant")
  expect(grants.length).toBeGreaterThan(10)
  expect(kinds(t)).toEqual(["plan approved", ...grants.map(() => "grant"), "mode acceptEdits"])
  expect(t.entries.find((entry) => entry.kind === "plan" && entry.change === "approved")).toMatchObject({
    ...plan,
    digest: digestOf("# Plan\n\nDo it."),
  })
  expect(outcome.isError).toBe(false)
  expect(outcome.content).toContain("# Plan\n\nDo it.")
  expect(outcome.content).toContain(plan.path)
  expect(outcome.content).toContain("TodoWrite")
  expect(outcome.content).toContain("run tests")
  expect(outcome.content).not.toContain("demon")
})

test("the plan as the person changed it is written first, and is what counts", async () => {
  using t = planning({ answer: () => approve({ plan: "# Other" }) })
  const outcome = await t.call("ExitPlanMode")
  expect(readFileSync(t.kit.named().path, "utf8")).toBe("# Other")
  expect(t.entries.find((entry) => entry.kind === "plan" && entry.change === "approved")).toMatchObject({
    digest: digestOf("# Other"),
  })
  expect(outcome.content).toContain("# Other")
  expect(outcome.content).toContain("changed it")
})

test("a file that someone changed while the plan was read holds what was approved", async () => {
  using t = planning({
    answer(ask) {
      if (ask.kind === "plan") writeFileSync(ask.path, "# Sneaked in")
      return approve()
    },
  })
  await t.call("ExitPlanMode")
  expect(readFileSync(t.kit.named().path, "utf8")).toBe("# Plan\n\nDo it.")
})

test("the mode from before is offered first", async () => {
  using t = openPlan({ modes: () => ["default", "acceptEdits", "bypassPermissions"] })
  t.record({ kind: "mode", mode: "acceptEdits" })
  t.record({ kind: "mode", mode: "plan" })
  mkdirSync(dirname(t.kit.named().path), { recursive: true })
  writeFileSync(t.kit.named().path, "x")
  await t.call("ExitPlanMode")
  t.record({ kind: "mode", mode: "auto" })
  t.record({ kind: "mode", mode: "plan" })
  await t.call("ExitPlanMode")
  expect(t.asked.map((ask) => ask.kind === "plan" && ask.modes)).toEqual([
    ["acceptEdits", "default", "bypassPermissions"],
    ["auto", "default", "acceptEdits", "bypassPermissions"],
  ])
})

test.each(["bypassPermissions", "plan", "dontAsk"] as const)(
  "the mode %s, which was not offered, is not given",
  async (mode) => {
    using t = planning({ answer: () => approve({ mode }) })
    await t.call("ExitPlanMode")
    expect(kinds(t)).toEqual(["plan approved", "notice", "mode default"])
  },
)

test("rejected with words: plan mode stays, and the words are the result", async () => {
  using t = planning({ answer: () => ({ kind: "deny", words: "use sqlite", interrupt: false }) })
  const outcome = await t.call("ExitPlanMode")
  expect(kinds(t)).toEqual(["plan rejected"])
  expect(outcome.isError).toBe(true)
  expect(outcome.content).toContain("use sqlite")
  expect(outcome.rejected).toBeUndefined()
  expect(outcome.content).toContain("Plan mode is still on")
})

test("what the person changed in the plan stays, also when they say no", async () => {
  using t = planning({
    answer: () => ({ kind: "deny", words: "more tests", interrupt: false, plan: "# Mine\n" }),
  })
  const { content, display } = await t.call("ExitPlanMode")
  expect(content).toContain("They edited the text")
  expect(content).toContain("more tests")
  // The dialog showed it; the transcript does not repeat what was declined.
  expect(display).toBeUndefined()
  expect(t.kit.text()).toBe("# Mine\n")
})

test.each([{ interrupt: true, words: "stop" }, { interrupt: false }])(
  "declined for good: the turn ends",
  async (answer) => {
    using t = planning({ answer: () => ({ kind: "deny", ...answer }) })
    expect((await t.call("ExitPlanMode")).rejected).toBe(true)
  },
)

test.each([
  { kind: "unanswered", why: "nobody can be asked in this run" },
  { kind: "allow" },
  { kind: "choices", answers: {} },
] as const)("an answer that is no approval changes nothing: %j", async (answer) => {
  using t = planning({ answer: () => answer })
  const outcome = await t.call("ExitPlanMode")
  // That nobody was there is kept like any permission that nobody could give.
  expect(kinds(t)).toEqual(answer.kind === "unanswered" ? ["decision"] : [])
  expect(outcome.denied).toBe(answer.kind === "unanswered" ? true : undefined)
  expect(outcome.isError).toBe(true)
  expect(outcome.content).toContain("Plan mode is still on")
})

describe("errors say what to do", () => {
  test("outside plan mode", async () => {
    using t = openPlan()
    expect((await t.call("ExitPlanMode")).content).toContain("Plan mode is not on")
    expect(t.asked).toEqual([])
  })

  test("without a plan file", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    const { content, isError } = await t.call("ExitPlanMode")
    expect(isError).toBe(true)
    expect(content).toContain(t.kit.named().path)
    expect(content).toContain("Write")
    expect(t.asked).toEqual([])
  })

  test("a plan of exactly the limit passes, one of a character more does not", async () => {
    using fits = planning({ answer: () => approve() }, "x".repeat(100_000))
    expect((await fits.call("ExitPlanMode")).isError).toBe(false)
    using long = planning({ answer: () => approve() }, "x".repeat(100_001))
    expect((await long.call("ExitPlanMode")).content).toContain("100001")
    expect(long.asked).toEqual([])
    using grown = planning({ answer: () => approve({ plan: "x".repeat(100_001) }) })
    expect((await grown.call("ExitPlanMode")).isError).toBe(true)
    expect(kinds(grown)).toEqual([])
  })

  test("an empty plan gives a plain go-ahead", async () => {
    using t = planning({ answer: () => approve() }, " \n")
    const { content } = await t.call("ExitPlanMode")
    expect(content).toBe("The user approved. Plan mode is off; continue with the task.")
  })

  test("a link or a folder in the place of the plan is not read", async () => {
    using t = openPlan({ answer: () => approve() })
    t.record({ kind: "mode", mode: "plan" })
    const { path } = t.kit.named()
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync("/etc/passwd", path)
    expect((await t.call("ExitPlanMode")).content).toContain("no plain file")
    using folder = openPlan({ answer: () => approve() })
    folder.record({ kind: "mode", mode: "plan" })
    mkdirSync(folder.kit.named().path, { recursive: true })
    expect((await folder.call("ExitPlanMode")).isError).toBe(true)
  })

  test("what was approved and cannot be kept leaves plan mode on", async () => {
    using t = planning({
      answer: () => approve({ plan: "# New" }),
      files: {
        read: () => ({ ok: true, value: "# Plan" }),
        write: () => ({ ok: false, failure: "the disk is full." }),
        exists: () => true,
      },
    })
    expect((await t.call("ExitPlanMode")).content).toContain("the disk is full")
    expect(kinds(t)).toEqual([])
  })
})

test("where only managed rules count, wishes cover nothing", async () => {
  using t = planning({ canGrant: false, answer: () => approve({ wishes: ["run tests"] }) })
  await t.call("ExitPlanMode", { allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] })
  expect(t.asked[0]).toMatchObject({ wishes: [{ prompt: "run tests" }] })
  expect(t.entries.filter(({ kind }) => kind === "grant")).toEqual([])
})

test("a classifier may know what no table does, where the mode was auto", async () => {
  for (const [mode, granted] of [
    ["auto", ["Bash(mkdocs build)"]],
    ["default", []],
  ] as const) {
    using t = openPlan({
      classify: async (prompt) =>
        prompt === "render the docs" ? { covers: "mkdocs build", rules: ["Bash(mkdocs build)"] } : undefined,
      answer: () => approve({ wishes: ["render the docs", "other"] }),
    })
    t.record({ kind: "mode", mode })
    t.record({ kind: "mode", mode: "plan" })
    mkdirSync(t.folder.join("plans"))
    writeFileSync(t.kit.named().path, "# Plan")
    await t.call("ExitPlanMode", {
      allowedPrompts: [
        { tool: "Bash", prompt: "render the docs" },
        { tool: "Bash", prompt: "other" },
      ],
    })
    expect(t.entries.flatMap((entry) => (entry.kind === "grant" ? [entry.rule] : []))).toEqual([...granted])
  }
})

test.each([
  ['{"kinds": ["run tests"]}', true],
  ['Sure: {"kinds": ["run tests", "build"]}', true],
  ['{"kinds": []}', false],
  ['{"kinds": ["run tests", "become root"]}', false],
  ['{"kinds": "run tests"}', false],
  ['{"kinds": [1]}', false],
  ["run tests", false],
  ["", false],
  ["{", false],
])("the classifier's answer %j means something: %p", async (answer, means) => {
  const classify = wishClassifier({ ask: async () => ({ ok: true, value: answer }), clock: systemClock })
  expect((await classify("check that it works", new AbortController().signal)) !== undefined).toBe(means)
})

test("a classifier that fails means nothing", async () => {
  const classify = wishClassifier({ ask: async () => ({ ok: false, failure: "overloaded" }), clock: systemClock })
  expect(await classify("check that it works", new AbortController().signal)).toBeUndefined()
})

test("starting fresh hands the plan on and tells the model to stop", async () => {
  const fresh: string[] = []
  using t = planning({ startFresh: (plan) => fresh.push(plan), answer: () => approve({ fresh: true }) })
  const { content } = await t.call("ExitPlanMode")
  expect(fresh).toEqual(["# Plan\n\nDo it."])
  expect(content).toContain("Do nothing more")
  const approved = t.entries.filter((entry) => entry.kind === "plan" && entry.change === "approved")
  await t.gather()
  expect(t.entries.filter((entry) => entry.kind === "plan" && entry.change === "approved")).toEqual(approved)
  // The conversation begins anew, and the plan still holds in it.
  refold([t.kit], [])
  expect(await t.gather()).toEqual([])
  expect(t.entries.at(-1)).toMatchObject({ kind: "plan", change: "approved", path: t.kit.plan()?.path })
})

test("a subagent gets the short form, changes no mode and grants nothing", async () => {
  using t = openPlan({
    agent: { kind: "sub", id: "a1", slug: () => "s" },
    answer: () => approve({ wishes: ["run tests"] }),
  })
  t.record({ kind: "mode", mode: "plan" })
  mkdirSync(t.folder.join("plans"))
  writeFileSync(t.folder.join("plans", "s-agent-a1.md"), "# Mine")
  const outcome = await t.call("ExitPlanMode", { allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] })
  expect(outcome.isError).toBe(false)
  expect(outcome.content).not.toContain("# Mine")
  expect(t.asked[0]).toMatchObject({ plan: "# Mine", wishes: [{ prompt: "run tests" }] })
  expect(t.entries.slice(2).map(({ kind }) => kind)).toEqual(["plan"])
  const entering = await t.call("EnterPlanMode")
  expect(entering.isError).toBe(true)
})

test("entering: the mode is recorded, the plan has a name, and entering twice is no error", async () => {
  using t = openPlan()
  const { content } = await t.call("EnterPlanMode")
  expect(t.entries.slice(1).map((entry) => (entry.kind === "plan" ? `plan ${entry.change}` : entry.kind))).toEqual([
    "mode",
    "plan named",
  ])
  expect(content).toContain(t.kit.named().path)
  expect(content).toContain("AskUserQuestion")
  expect((await t.call("EnterPlanMode")).isError).toBe(false)
  expect(t.entries).toHaveLength(3)
})

test("a plan in the call becomes the file where there is none; the file counts where there is one", async () => {
  using without = planning({ answer: () => approve() }, "")
  rmSync(without.kit.named().path)
  expect((await without.call("ExitPlanMode", { plan: "# Inline" })).isError).toBe(false)
  expect(without.asked).toMatchObject([{ plan: "# Inline" }])
  expect(readFileSync(without.kit.named().path, "utf8")).toBe("# Inline")

  using both = planning({ answer: () => approve() })
  await both.call("ExitPlanMode", { plan: "# Inline" })
  expect(both.asked).toMatchObject([{ plan: "# Plan\n\nDo it." }])

  using outside = openPlan()
  expect((await outside.call("ExitPlanMode", { plan: "# Inline" })).isError).toBe(true)
})

test.each([
  { allowedPrompts: [{ tool: "Write", prompt: "x" }] },
  { plan: ["inline"] },
  { allowedPrompts: "run tests" },
  { allowedPrompts: [{ tool: "Bash", prompt: " " }] },
])("an input that is none is named: %j", (input) => {
  using t = openPlan()
  const parsed = t.kit.tools?.find(({ name }) => name === "ExitPlanMode")?.parse(input)
  expect(parsed?.ok).toBe(false)
})

describe("plan files", () => {
  test.each([
    ["calm-running-fox", "/home/me/.bashrc"],
    ["../project/a", "plans/../project/a.md"],
    ["a", "plans/b.md"],
    ["sub/a", "plans/sub/a.md"],
    ["", "plans/.md"],
    [".hidden", "plans/.hidden.md"],
  ])("a log that names %s at %s does not make that the plan file", (slug, path) => {
    using t = openPlan()
    t.record({ kind: "plan", change: "named", slug, path: path.startsWith("/") ? path : t.folder.join(path) })
    expect(t.kit.plan()).toBeUndefined()
    expect(t.kit.text()).toBeUndefined()
    t.kit.forked()
    expect(t.entries).toHaveLength(2)
    expect(t.kit.named().path).toStartWith(t.folder.join("plans/"))
  })

  test("the folder is that of the state, or the setting's where that is a fit place", () => {
    const place = { stateFolder: "/s", root: "/p", home: "/h" }
    const own = "/s/plans"
    const expected: { readonly [setting: string]: string } = {
      "": own,
      plans: "/p/plans",
      "./docs/plans": "/p/docs/plans",
      "~/plans": "/h/plans",
      "/var/plans": "/var/plans",
      ".claude/plans": "/p/.claude/plans",
      "../outside": own,
      "/p/../etc/../../x/.git/hooks": own,
      ".git/hooks": own,
      ".claude/commands": own,
      "~/.claude/agents": own,
      "~/.ssh": own,
      "a\0b": own,
    }
    for (const [setting, folder] of Object.entries(expected))
      expect([setting, plansFolder({ ...place, setting })]).toEqual([setting, folder])
    expect(plansFolder(place)).toBe(own)
  })

  test("a fork gets a copy under a new name; without a file only the name", () => {
    using t = planning({})
    const parts = { folder: t.folder.join("plans"), files: openPlanFiles({ ids: systemIds }), ids: systemIds }
    const plan = t.kit.named()
    const forked = forkPlan(plan, parts)
    if (!forked.ok) throw new Error(forked.failure)
    expect(forked.value).toMatchObject({ kind: "plan", change: "named" })
    expect(forked.value.slug).not.toBe(plan.slug)
    expect(readFileSync(forked.value.path, "utf8")).toBe("# Plan\n\nDo it.")
    const empty = forkPlan({ slug: "none", path: t.folder.join("plans", "none.md") }, parts)
    expect(empty.ok && existsSync(empty.value.path)).toBe(false)
  })

  test("the extract is there before anybody decides", async () => {
    let kept = ""
    using t = planning(
      {
        answer: () => {
          kept = readFileSync(t.kit.named().path.replace(/md$/, "json"), "utf8")
          return { kind: "deny", interrupt: false }
        },
      },
      "# Plan\n## Files to modify\n- `src/a.ts`\n",
    )
    await t.call("ExitPlanMode")
    expect(JSON.parse(kept)).toMatchObject({ modify: ["src/a.ts"] })
  })

  test("the extract lies beside, tied to the digest; a changed plan does not widen it", async () => {
    const text = "# Plan\n## Files to modify\n- `src/a.ts`\n"
    using t = planning({ answer: () => approve() }, text)
    await t.call("ExitPlanMode")
    const { path, slug } = t.kit.named()
    const files = openPlanFiles({ ids: systemIds })
    expect(JSON.parse(readFileSync(path.replace(/md$/, "json"), "utf8"))).toEqual({
      slug,
      digest: digestOf(text),
      create: [],
      modify: ["src/a.ts"],
      commands: [],
      tests: [],
    })
    writeFileSync(path, "# Plan\n## Files to modify\n- `everything/`\n")
    expect(extractOf(files, path, digestOf(text))).toMatchObject({ ok: true, value: { modify: ["src/a.ts"] } })
    writeFileSync(path.replace(/md$/, "json"), "not json")
    expect(extractOf(files, path, digestOf(text)).ok).toBe(false)
  })
})
