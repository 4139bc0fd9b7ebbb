/** The layer around a call: decides, asks, records before anything runs, and tells the model what it needs to know. */

import { describe, expect, test } from "bun:test"
import { onlyReading } from "#agent/words/boundary.ts"
import { systemClock } from "#lib/clock.ts"
import { ok } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { type Footprint, reads, touchesNothing, writes } from "#agent/words/footprint.ts"
import type { Call, HookAnswer } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { type AnyTool, answered, type Outcome } from "#agent/words/tool.ts"
import { openAuto } from "#kits/permissions/auto.ts"
import { bypassAllowed } from "#kits/permissions/bypass.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import type { DecisionBody } from "#kits/permissions/ports.ts"
import { place, rulesFrom, type RuleLists, readerWalls } from "./judge.ts"

const writeTool = defineTool({
  name: "Write",
  description: "Writes.",
  input: shape.object({ file_path: shape.string() }),
  title: ({ file_path }) => `Write ${file_path}`,
  footprint: ({ file_path }) => writes(file_path),
  validate: async ({ file_path }) => (file_path.endsWith(".bin") ? "Binary files are not written." : undefined),
  run: async () => answered("written"),
})

const readTool: typeof writeTool = defineTool({
  name: "Read",
  description: "Reads.",
  input: shape.object({ file_path: shape.string() }),
  title: ({ file_path }) => `Read ${file_path}`,
  footprint: ({ file_path }) => reads(file_path),
  run: async () => answered("read"),
})

const watched = (on: { readonly onPreview?: () => void; readonly onValidate?: () => void }): AnyTool =>
  Object.create(writeTool, {
    preview: { value: async () => void on.onPreview?.() },
    validate: { value: async () => void on.onValidate?.() },
  })

interface Run {
  readonly outcome: Outcome
  readonly questions: readonly QuestionAsk[]
  readonly happened: readonly string[]
  readonly records: readonly DecisionBody[]
}

async function run(given: {
  readonly path?: string
  readonly mode?: PermissionMode
  readonly rules?: RuleLists
  readonly answer?: Answer
  readonly onAsk?: () => void
  readonly signal?: AbortSignal
  readonly modes?: PermissionMode[]
  /** What the small model says in the mode auto. */
  readonly classifier?: () => string
  /** What a hook answers in place of the person. */
  readonly hook?: () => HookAnswer
  /** What the tool has against its input. */
  readonly complaint?: string
  /** In place of the one that writes. */
  readonly tool?: typeof writeTool
  /** What an outer layer made of the call: another raw input, or another declared footprint. */
  readonly raw?: string
  readonly declared?: Footprint
  /** Happens while the tool draws what it would do. */
  readonly onPreview?: () => void
  /** Happens while the tool looks at a changed input. */
  readonly onValidate?: () => void
}): Promise<Run> {
  const questions: QuestionAsk[] = []
  const happened: string[] = []
  const records: DecisionBody[] = []
  const kit = permissionsKit({
    walls: readerWalls,
    rules: () => rulesFrom(given.rules ?? {}),
    mode: () => given.modes?.shift() ?? given.mode ?? "default",
    workspace: () => place,
    cwd: () => place.root,
    realPaths: () => (path) => path,
    ...(given.classifier && {
      auto: openAuto({ cwd: () => "/repo", ask: asking(given.classifier), clock: systemClock, record: () => {} }),
    }),
    ...(given.hook && { hook: async () => given.hook?.() }),
    ask: async (ask) => {
      questions.push(ask)
      given.onAsk?.()
      return given.answer ?? { kind: "unanswered", why: "headless" }
    },
    record: (body) => {
      if (body.kind !== "decision") return
      records.push(body)
      happened.push(`decision ${body.behavior}`)
    },
  })
  const input = { file_path: given.path ?? "/repo/a.ts" }
  const { tool = writeTool } = given
  const call: Call = {
    callId: "call_1",
    signal: given.signal ?? new AbortController().signal,
    progress: () => {},
    tool: given.onPreview || given.onValidate ? watched(given) : tool,
    input: given.raw === undefined ? input : { file_path: given.raw },
    parsed: input,
    footprint: given.declared ?? tool.footprint(input),
    ...(given.complaint !== undefined && { complaint: given.complaint }),
  }
  const outcome = await kit.middleware?.(call, async (passed) => {
    happened.push(`run ${passed.footprint.writes.join()}${onlyReading(passed.boundary) ? "only reading" : ""}`)
    return writeTool.run(passed.parsed as { file_path: string }, passed)
  })
  if (!outcome) throw new Error("The kit has no layer.")
  return { outcome, questions, happened, records }
}

test("what is allowed is recorded, then run, and nobody is asked", async () => {
  const { outcome, questions, happened, records } = await run({ rules: { allow: ["Edit"] } })
  expect(outcome).toEqual(answered("written"))
  expect(questions).toEqual([])
  expect(happened).toEqual(["decision allow", "run /repo/a.ts"])
  expect(records).toEqual([
    {
      kind: "decision",
      callId: "call_1",
      tool: "Write",
      behavior: "allow",
      reason: { kind: "rule", rule: "Edit", source: "session" },
      message: "The rule Edit (session) lets Write change a.ts.",
    },
  ])
})

describe("a call that an outer layer changed in part", () => {
  const rules = { allow: ["Edit"], deny: ["Edit(secret)"] }

  test("is judged by its raw and by its parsed input", async () => {
    expect((await run({ path: "/repo/a.ts", raw: "/repo/secret", rules })).happened).toEqual(["decision deny"])
    expect((await run({ path: "/repo/secret", raw: "/repo/a.ts", rules })).happened).toEqual(["decision deny"])
    expect((await run({ path: "/repo/a.ts", raw: "/repo/b.ts", rules })).happened).toEqual([
      "decision allow",
      "run /repo/a.ts,/repo/b.ts",
    ])
  })

  test("may declare less than its tool says, but not in plan mode", async () => {
    const declared = touchesNothing()
    expect((await run({ declared })).happened).toEqual(["decision allow", "run "])
    expect((await run({ declared, mode: "plan" })).happened).toEqual(["decision deny"])
  })
})

const asking = (classifier: () => string) => async () => ok(classifier())

describe("while the classifier thinks", () => {
  const lets = '{"block": false}'

  test("nothing changes: what it lets pass runs", async () => {
    const { happened } = await run({ mode: "auto", classifier: () => lets })
    expect(happened).toEqual(["decision allow", "run /repo/a.ts"])
  })

  /** What the mode is, before and after it has thought. */
  const switching = (to: PermissionMode, also: Partial<Parameters<typeof run>[0]> = {}) => {
    const now = { mode: "auto" as PermissionMode }
    return run({
      ...also,
      get mode() {
        return now.mode
      },
      classifier() {
        now.mode = to
        return lets
      },
    })
  }

  test.each(["plan", "dontAsk"] as const)("the person switches to %s: it is denied", async (mode) => {
    const { happened, questions, records } = await switching(mode, { answer: { kind: "allow" } })
    expect(questions).toEqual([])
    expect(happened).toEqual(["decision deny"])
    expect(records[0]?.reason).toEqual({ kind: "mode", mode })
  })

  test("the person switches to being asked: they are, and their answer counts", async () => {
    const asked = await switching("default", { answer: { kind: "deny", interrupt: false } })
    expect(asked.questions).toHaveLength(1)
    expect(asked.happened).toEqual(["decision deny"])
    const allowed = await switching("default", { answer: { kind: "allow" } })
    expect(allowed.happened).toEqual(["decision allow", "run /repo/a.ts"])
    expect(allowed.records[0]?.reason).toEqual({ kind: "person" })
  })

  test("a rule that asks appears: the person is asked", async () => {
    const now = { rules: {} as RuleLists }
    const { happened, questions } = await run({
      mode: "auto",
      get rules() {
        return now.rules
      },
      classifier() {
        now.rules = { ask: ["Edit(a.ts)"] }
        return lets
      },
      answer: { kind: "deny", interrupt: false },
    })
    expect(questions).toMatchObject([{ decision: { reason: { kind: "rule", rule: "Edit(a.ts)" } } }])
    expect(happened).toEqual(["decision deny"])
  })

  test("the person interrupts: nothing is decided and nothing runs", async () => {
    const controller = new AbortController()
    const { outcome, happened, questions } = await run({
      mode: "auto",
      signal: controller.signal,
      classifier() {
        controller.abort()
        return lets
      },
    })
    expect(outcome).toMatchObject({ isError: true, interrupted: "before" })
    expect([...happened, ...questions]).toEqual([])
  })

  test("a rule that denies appears: it does not run", async () => {
    const now = { rules: {} as RuleLists }
    const { happened } = await run({
      mode: "auto",
      get rules() {
        return now.rules
      },
      classifier() {
        now.rules = { deny: ["Edit(a.ts)"] }
        return lets
      },
    })
    expect(happened).toEqual(["decision deny"])
  })
})

test("what is denied never runs, and the model is told why and not to try again", async () => {
  const { outcome, questions, happened } = await run({ rules: { deny: ["Edit(a.ts)"] } })
  expect(outcome).toEqual({
    content:
      "Not permitted. The rule Edit(a.ts) (session) denies it: Write would change a.ts. Do not try this again, in this or another form; find another way, or tell the user what you need and why.",
    isError: true,
    denied: true,
  })
  expect(questions).toEqual([])
  expect(happened).toEqual(["decision deny"])
})

test("a call with a wrong input is not asked about, but one that is denied is told that it is", async () => {
  const complaint = "There is no such line."
  const wrong = await run({ complaint })
  expect(wrong.outcome).toMatchObject({ content: complaint, isError: true })
  expect([...wrong.happened, ...wrong.questions]).toEqual([])
  const denied = await run({ complaint, rules: { deny: ["Edit(a.ts)"] } })
  expect(denied.outcome).toMatchObject({ denied: true, content: expect.stringContaining("Do not try this again") })
  expect(denied.happened).toEqual(["decision deny"])
})

test("the question carries the call, its title, its footprint and the decision that asks", async () => {
  const { questions } = await run({ answer: { kind: "allow" } })
  expect(questions).toEqual([
    {
      kind: "permission",
      callId: "call_1",
      tool: "Write",
      title: "Write /repo/a.ts",
      question: "Write to a.ts?",
      input: { file_path: "/repo/a.ts" },
      footprint: writes("/repo/a.ts"),
      decision: expect.objectContaining({ behavior: "ask", reason: { kind: "default" } }),
      explanation: "Changes a.ts.",
      undo: "rewind",
    },
  ])
})

test("a yes is recorded as the person's, before the call runs", async () => {
  const { outcome, happened, records } = await run({ answer: { kind: "allow" } })
  expect(outcome.isError).toBe(false)
  expect(happened).toEqual(["decision allow", "run /repo/a.ts"])
  expect(records[0]?.reason).toEqual({ kind: "person" })
})

describe("nobody to ask", () => {
  test("denies, says so, and names the rule that would help", async () => {
    const { outcome, records, happened } = await run({})
    expect(outcome).toEqual({
      content:
        "Not permitted. Write would change a.ts, which needs the user's consent, and nobody can be asked (headless). Do not try this again, in this or another form. Continue without it, or finish by saying what was not permitted; the user could allow it with the rule Edit(./a.ts) in permissions.allow.",
      isError: true,
      denied: true,
    })
    expect(records[0]?.reason).toEqual({ kind: "no_one_to_ask" })
    expect(happened).toEqual(["decision deny"])
  })

  test("an answer to something else is no answer", async () => {
    const { outcome, records } = await run({ answer: { kind: "choices", answers: {} } })
    expect(outcome.denied).toBe(true)
    expect(records[0]?.reason).toEqual({ kind: "no_one_to_ask" })
  })
})

describe("a no", () => {
  const table: readonly [name: string, answer: Answer, rejected: boolean][] = [
    ["without words ends the turn", { kind: "deny", interrupt: false }, true],
    ["with blank words ends the turn", { kind: "deny", words: " ", interrupt: false }, true],
    ["with words lets it go on", { kind: "deny", words: "use b.ts", interrupt: false }, false],
    ["with words and an interrupt ends the turn", { kind: "deny", words: "use b.ts", interrupt: true }, true],
  ]
  test.each(table)("%s", async (_name, answer, rejected) => {
    const { outcome, happened, records } = await run({ answer })
    expect(outcome.rejected === true).toBe(rejected)
    expect(outcome.denied).toBe(true)
    expect(happened).toEqual(["decision deny"])
    expect(records[0]?.reason).toEqual({ kind: "person" })
    if (answer.kind === "deny" && answer.words?.trim()) expect(outcome.content).toContain("use b.ts")
  })
})

describe("a yes with another input", () => {
  const to = (file_path: string): Answer => ({ kind: "allow", updatedInput: { file_path } })

  test("runs that input, with its own footprint", async () => {
    expect((await run({ answer: to("/repo/b.ts") })).happened).toEqual(["decision allow", "run /repo/b.ts"])
  })

  test("does not pass a deny rule", async () => {
    const { outcome, happened } = await run({ answer: to("/repo/secret"), rules: { deny: ["Edit(secret)"] } })
    expect(outcome.denied).toBe(true)
    expect(happened).toEqual(["decision deny"])
  })

  test("is refused when it cannot be read", async () => {
    const { outcome, happened } = await run({ answer: { kind: "allow", updatedInput: { path: "x" } } })
    expect(outcome.isError).toBe(true)
    expect(outcome.content).toContain("the user changed its input, which is not valid now")
    expect(happened).toEqual([])
  })

  test("passes the tool's own check again", async () => {
    const { outcome, happened } = await run({ answer: to("/repo/x.bin") })
    expect(outcome.content).toBe("Binary files are not written. (The input was changed by the user.)")
    expect(happened).toEqual([])
  })
})

describe("a hook that answers in place of the person", () => {
  const allows = (more: Partial<HookAnswer & { behavior: "allow" }> = {}): HookAnswer => ({
    behavior: "allow",
    name: "h",
    grants: [],
    ...more,
  })

  test("is not asked again by asking the person", async () => {
    const { happened, questions, records } = await run({ hook: allows })
    expect(happened).toEqual(["decision allow", "run /repo/a.ts"])
    expect(records[0]?.reason).toEqual({ kind: "hook", name: "h" })
    expect(questions).toEqual([])
  })

  test("does not lift a denial by another input", async () => {
    const { outcome, happened } = await run({
      rules: { deny: ["Edit(secret)"] },
      hook: () => allows({ updatedInput: { file_path: "/repo/secret" } }),
    })
    expect(outcome.denied).toBe(true)
    expect(happened).toEqual(["decision deny"])
  })

  test("does not lift plan mode, to which the person switched meanwhile", async () => {
    const now = { mode: "default" as PermissionMode }
    const { outcome, happened } = await run({
      get mode() {
        return now.mode
      },
      hook() {
        now.mode = "plan"
        return allows()
      },
    })
    expect(outcome.content).toContain("Plan mode is on")
    expect(happened).toEqual(["decision deny"])
  })

  test("decides nothing when the person interrupts meanwhile", async () => {
    for (const answer of [allows(), { behavior: "deny", name: "h", message: "no" } as const]) {
      const turn = new AbortController()
      const { outcome, happened, questions } = await run({
        signal: turn.signal,
        hook() {
          turn.abort()
          return answer
        },
      })
      expect(outcome).toMatchObject({ isError: true, interrupted: "before" })
      expect([...happened, ...questions]).toEqual([])
    }
  })

  test("in plan mode lets a call do no more than read, as the person does", async () => {
    const outside = { mode: "plan", tool: readTool, path: "/etc/hosts" } as const
    const isRead = ["decision allow", "run only reading"]
    expect((await run({ ...outside, hook: allows })).happened).toEqual(isRead)
    expect((await run({ ...outside, answer: { kind: "allow" } })).happened).toEqual(isRead)
  })
})

describe("an interrupt", () => {
  const interrupting = (on: (interrupt: () => void) => Partial<Parameters<typeof run>[0]>) => {
    const turn = new AbortController()
    return run({ signal: turn.signal, ...on(() => turn.abort()) })
  }
  const isNothing = ({ outcome, happened }: Run): void => {
    expect(outcome).toMatchObject({ isError: true, interrupted: "before" })
    expect(happened).toEqual([])
  }

  test("while the question is drawn asks nobody", async () => {
    const ran = await interrupting((interrupt) => ({ onPreview: interrupt, answer: { kind: "allow" } }))
    isNothing(ran)
    expect(ran.questions).toEqual([])
  })

  test("while the question is open is no answer, whatever is answered then", async () => {
    for (const answer of [
      { kind: "deny", interrupt: false },
      { kind: "unanswered", why: "interrupted" },
      { kind: "allow" },
    ] as const)
      isNothing(await interrupting((onAsk) => ({ onAsk, answer })))
  })

  test("while a changed input is looked at runs nothing", async () => {
    const answer: Answer = { kind: "allow", updatedInput: { file_path: "/repo/b.ts" } }
    isNothing(await interrupting((onValidate) => ({ onValidate, answer })))
  })
})

test("a mode that changed to plan while the person thought still denies", async () => {
  const { outcome, happened } = await run({ answer: { kind: "allow" }, modes: ["default", "plan"] })
  expect(outcome.denied).toBe(true)
  expect(outcome.content).toContain("Plan mode is on")
  expect(happened).toEqual(["decision deny"])
})

describe("bypass", () => {
  const table: readonly [Parameters<typeof bypassAllowed>[0], boolean][] = [
    [{ uid: 1000, isSandbox: false }, true],
    [{ uid: undefined, isSandbox: false }, true],
    [{ uid: 0, isSandbox: false }, false],
    [{ uid: 0, isSandbox: true }, true],
    [{ uid: 0, isSandbox: false, managedAllowsRoot: true }, true],
    [{ uid: 1000, isSandbox: true, disabled: true }, false],
  ]
  test.each(table)("%j: %p", (given, allowed) => expect(bypassAllowed(given).allowed).toBe(allowed))
})
