/** The stage of a session: a fold over its log, the same for a reader of the file and for the process that writes it. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { EndReason } from "#agent/words/end.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { refold, notifyFollowers } from "#agent/words/follower.ts"
import type { Gates } from "#agent/words/gates.ts"
import { type Answer, questionOf, type QuestionAsk } from "#agent/words/question.ts"
import { type SessionStage, stages } from "#agent/words/stage.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { openStageKeeper, stageIn, stageOf } from "#session/journal/stage.ts"
import { openStanding } from "#session/journal/standing.ts"
import { beginningState } from "#session/journal/state.ts"
import { stageOverview } from "#session/port/stage-overview.ts"
import { answered, entriesOf, saidBy } from "../../kit/write-log.ts"

const asks: { readonly [kind in QuestionAsk["kind"]]: (callId: string) => QuestionAsk } = {
  permission: (callId) => ({
    kind: "permission",
    callId,
    tool: "Bash",
    title: "Bash make",
    input: { command: "make" },
    footprint: { reads: [], writes: [], runs: ["make"], reaches: [], asks: false, alone: false, effect: "acts" },
    decision: { behavior: "ask", reason: { kind: "default" }, message: "Bash would run make.", trace: [] },
  }),
  choice: (callId) => ({ kind: "choice", callId, questions: [] }),
  plan: (callId) => ({ kind: "plan", callId, plan: "# Do it", path: "/p.md", modes: ["default"], wishes: [] }),
  elicitation: (callId) => ({ kind: "elicitation", callId, server: "s", message: "m" }),
}

const explorer = { id: "a1", type: "Explore" }
const asked = (kind: QuestionAsk["kind"], id = kind as string, agent?: typeof explorer): EntryBody => ({
  kind: "question",
  question: questionOf(id, asks[kind](id), agent),
})
const told = (id: string, answer: Answer = { kind: "allow" }): EntryBody => ({ kind: "answer", questionId: id, answer })
const begun = (gates: Gates, mode = "default"): EntryBody => ({
  kind: "begun",
  opening: { gates: { ...gates }, permissions: { mode } },
})
const starts = (turnId = "t"): EntryBody => ({ kind: "turn_start", turnId })
const ends = (reason: EndReason, turnId = "t"): EntryBody => ({ kind: "turn_end", turnId, reason })
const planning: EntryBody = { kind: "mode", mode: "plan" }
const clarified: EntryBody = { kind: "gate", gate: "clarify", text: "Restated.", asked: true }

const rows: readonly (readonly [string, SessionStage, ...EntryBody[]])[] = [
  ["nothing happened", "executing"],
  ["begun in plan mode", "planning", begun({}, "plan")],
  ["a turn runs", "executing", starts()],
  ["a turn runs in plan mode", "planning", planning, starts()],
  ["a command is asked about", "awaiting_tool_approval", starts(), asked("permission")],
  ["it was answered", "executing", starts(), asked("permission"), told("permission")],
  ["an agent asks", "awaiting_tool_approval", starts(), asked("permission", "q", explorer)],
  ["a plan is shown", "awaiting_plan_approval", planning, starts(), asked("plan")],
  [
    "the plan was rejected",
    "planning",
    planning,
    starts(),
    asked("plan"),
    told("plan", { kind: "deny", interrupt: false }),
  ],
  ["the model asks", "awaiting_answer", starts(), asked("choice")],
  ["a server asks", "awaiting_answer", starts(), asked("elicitation")],
  ["the task is not clear yet", "planning", begun({ clarify: true }), starts()],
  ["the model asks what is unclear", "awaiting_clarification", begun({ clarify: true }), starts(), asked("choice")],
  ["an agent asks meanwhile", "awaiting_answer", begun({ clarify: true }), starts(), asked("choice", "q", explorer)],
  ["it asked in words alone", "awaiting_clarification", begun({ clarify: true }), starts(), ends("completed")],
  ["the task is clear", "executing", begun({ clarify: true }), starts(), clarified],
  ["it asks later", "awaiting_answer", begun({ clarify: true }), starts(), clarified, asked("choice")],
  ["all done", "completed", starts(), ends("completed")],
  ["interrupted", "cancelled", starts(), ends("aborted")],
  ["an error", "failed", starts(), ends("error")],
  ["too many steps", "failed", starts(), ends("max_turns")],
  ["no money left", "failed", starts(), ends("max_budget")],
  ["the next turn", "executing", starts(), ends("completed"), starts("t2")],
  [
    "an agent in the background asks",
    "awaiting_tool_approval",
    starts(),
    ends("completed"),
    asked("permission", "q", explorer),
  ],
  [
    "several wait: the plan first",
    "awaiting_plan_approval",
    starts(),
    asked("choice"),
    asked("permission"),
    asked("plan"),
  ],
  [
    "an answer to something else",
    "awaiting_tool_approval",
    starts(),
    asked("permission"),
    { kind: "answer", questionId: "permission", answer: { kind: "allow" }, digest: "other" },
  ],
]

test.each(rows)("%s: %s", (_what, stage, ...bodies) => {
  expect(stageOf(stageIn(entriesOf(bodies)))).toBe(stage)
})

test("going back before the clarification asks for it again", () => {
  const bodies = [begun({ clarify: true }), starts(), clarified, ends("completed")]
  const cleared: EntryBody = { kind: "head", to: null, why: "clear" }
  expect(stageOf(stageIn(entriesOf(bodies)))).toBe("completed")
  expect(stageOf(stageIn(entriesOf([...bodies, cleared, starts("t2")])))).toBe("planning")
})

test("all that belongs to a stage", () => {
  const plan =
    "## Files to create\n- `a.ts`: new\n\n## Files to modify\n- `b.ts`\n\n## Commands\n- `make`\n\n## Tests\n- `bun test`"
  const bodies: EntryBody[] = [
    begun({ clarify: true, plan: true }),
    saidBy("Build it"),
    starts(),
    clarified,
    { kind: "question", question: questionOf("q", { ...asks.plan("q"), plan } as QuestionAsk) },
    told("q", { kind: "approve", mode: "default", wishes: [], plan: `${plan}\n- \`make check\`` }),
    answered("Half of it is done.", "m1"),
    answered("It is done.", "m2"),
    answered("All of it.", "m2"),
    ends("completed"),
  ]
  const entries = entriesOf(bodies)
  const { plan: shown, ...look } = stageOverview(stageIn(entries), "s")
  expect(look).toEqual({
    stage: "completed",
    gates: { clarify: true, plan: true },
    clarifiedQuery: "Restated.",
    pending: [],
    result: { ok: true, text: "It is done.\n\nAll of it." },
  })
  expect(shown).toEqual({
    markdown: `${plan}\n- \`make check\``,
    digest: questionOf("q", { ...asks.plan("q"), plan } as QuestionAsk).digest,
    filesToCreate: ["a.ts"],
    filesToModify: ["b.ts"],
    commands: ["make"],
    tests: ["bun test", "make check"],
    details: {
      create: [{ path: "a.ts", purpose: "new" }],
      modify: [{ path: "b.ts" }],
      tests: [{ path: "bun test" }, { path: "make check" }],
    },
  })
})

const ids = fc.constantFrom("q1", "q2", "q3")
const body: fc.Arbitrary<EntryBody> = fc.oneof(
  fc.record({ clarify: fc.boolean(), plan: fc.boolean() }).map((gates) => begun(gates)),
  fc.constantFrom("default", "plan", "bypassPermissions").map((mode) => ({ kind: "mode", mode }) as EntryBody),
  fc.constantFrom("t1", "t2").map(starts),
  fc
    .tuple(fc.constantFrom<EndReason>("completed", "aborted", "error"), fc.constantFrom("t1", "t2"))
    .map((x) => ends(...x)),
  fc
    .tuple(fc.constantFrom<QuestionAsk["kind"]>("permission", "choice", "plan", "elicitation"), ids, fc.boolean())
    .map(([kind, id, isAgent]) => asked(kind, id, isAgent ? explorer : undefined)),
  ids.map((id) => told(id)),
  fc.constant(clarified),
  fc.string().map((text) => answered(text)),
  fc.string().map((text) => saidBy(text)),
  fc.constant<EntryBody>({ kind: "head", to: null, why: "clear" }),
)
const logs = fc.array(body, { maxLength: 40 })

test("every beginning of a log has exactly one stage, and whoever follows it sees the same", () => {
  fc.assert(
    fc.property(logs, (bodies) => {
      const entries = entriesOf(bodies)
      const keeper = openStageKeeper()
      entries.forEach((entry, index) => {
        const sofar = entries.slice(0, index + 1)
        notifyFollowers([keeper], entry)
        if (entry.kind === "head") refold([keeper], pathOf(sofar))
        const stage = stageOf(stageIn(sofar))
        expect(stages.filter((one) => one === stage)).toHaveLength(1)
        expect(stageOverview(keeper.now(), "s")).toEqual(stageOverview(stageIn(sofar), "s"))
      })
    }),
  )
})

test("a log that is read from its last compaction on has the stage of the whole", () => {
  fc.assert(
    fc.property(logs, logs, (before, after) => {
      const earlier = entriesOf(before)
      const standing = openStanding()
      earlier.forEach((entry, index) => {
        notifyFollowers([standing], entry)
        if (entry.kind === "head") refold([standing], pathOf(earlier.slice(0, index + 1)))
      })
      const state = beginningState({ mode: "default", model: "m", thinking: { type: "auto" }, budget: {}, cwd: "/" })
      const all = entriesOf([
        ...before,
        compacted(standing.bodies(state)),
        ...after.filter(({ kind }) => kind !== "head"),
      ])
      const tail: readonly Entry[] = all.slice(before.length)
      expect(stageOf(stageIn(tail))).toBe(stageOf(stageIn(all)))
    }),
  )
})

const compacted = (standing: readonly EntryBody[]): EntryBody => ({
  kind: "compaction",
  trigger: "auto",
  preTokens: 1,
  postTokens: 1,
  by: "extract",
  summary: "",
  messages: [],
  standing,
})
