/** Every event with everything that a hook can do: real programs, and what comes of each, from one table. */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { hookProgram } from "#ground/hooks/program.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { type HookBody, openDispatcher } from "#kits/hooks/dispatch.ts"
import { readHooks } from "#kits/hooks/config.ts"
import { type HookEvent, hookEvents } from "#kits/hooks/moments.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed } from "#lib/result.ts"
import { lastingFolder } from "../../kit/tmp.ts"
import { answers, says } from "./hooks.ts"

setDefaultTimeout(300_000)

const processes = openProcesses({
  clock: systemClock,
  ids: systemIds,
  scratch: lastingFolder(),
  graceMs: 500,
  drainMs: 100,
})
afterAll(processes.close)

interface Came {
  /** `reason` where it is a no, `says` where an objection is only shown. */
  readonly verdict?: string
  readonly reason?: string
  readonly says?: readonly string[]
  readonly contexts?: readonly string[]
  readonly failure?: string
  /** What else the answer brings. */
  readonly change?: unknown
}

/** What an event is, as the specification says it, apart from the code. */
interface Row {
  /** Whether a no counts; otherwise the user is shown it. */
  readonly blocks?: true
  /** Whether text that is no JSON is for the model. */
  readonly tells?: true
  /** How it says allow, deny and ask, where it can. */
  readonly decides?: (behavior: "allow" | "deny" | "ask") => JsonObject
  /** What it can change, with the name of it in the answer. */
  readonly changes?: readonly [answer: JsonObject, name: string, value: unknown]
  /** Whether any code but 0 is a no. */
  readonly strict?: true
  /** Whether a hook that is late is a no. */
  readonly late?: "deny"
}

const decision = (permissionDecision: string): JsonObject => ({
  permissionDecision,
  permissionDecisionReason: "because",
})
const elicited = [
  { action: "accept", content: { name: "x" } },
  "elicited",
  { action: "accept", content: { name: "x" } },
] as const

const rows: { readonly [event in HookEvent]: Row } = {
  PreToolUse: { blocks: true, decides: decision, changes: [{ updatedInput: { a: 1 } }, "updatedInput", { a: 1 }] },
  PostToolUse: { blocks: true, changes: [{ updatedToolOutput: "new" }, "updatedOutput", "new"] },
  PostToolUseFailure: { blocks: true },
  PostToolBatch: { blocks: true },
  PermissionRequest: {
    blocks: true,
    decides: (behavior) => ({ decision: { behavior, message: "because" } }),
    changes: [{ decision: { behavior: "allow", updatedInput: { a: 1 } } }, "updatedInput", { a: 1 }],
  },
  PermissionDenied: {},
  UserPromptSubmit: { blocks: true, tells: true, changes: [{ sessionTitle: "T" }, "title", "T"] },
  UserPromptExpansion: { blocks: true, tells: true },
  Stop: { blocks: true },
  StopFailure: {},
  SubagentStart: { tells: true },
  SubagentStop: { blocks: true },
  PreCompact: { blocks: true, tells: true },
  PostCompact: {},
  SessionStart: { tells: true, changes: [{ initialUserMessage: "Begin." }, "initialPrompt", "Begin."] },
  SessionEnd: {},
  Notification: {},
  InstructionsLoaded: {},
  CwdChanged: {},
  DirectoryAdded: {},
  Elicitation: { blocks: true, changes: elicited },
  ElicitationResult: { blocks: true, changes: elicited },
  TaskCreated: { blocks: true },
  TaskCompleted: { blocks: true },
  TeammateIdle: { blocks: true },
  ConfigChange: { blocks: true },
  FileChanged: {},
  WorktreeCreate: { blocks: true, strict: true, changes: [{ worktreePath: "/tmp/w" }, "worktree", "/tmp/w"] },
  WorktreeRemove: { blocks: true, strict: true },
  MessageDisplay: {},
  PreModelSwitch: { blocks: true, decides: decision, late: "deny" },
  PostModelSwitch: { tells: true },
  Setup: {},
}

const no = (row: Row, reason: string): Came => (row.blocks ? { verdict: "deny", reason } : { says: [reason] })

interface Act {
  readonly hook: (event: HookEvent, row: Row) => JsonObject
  readonly came: (row: Row, event: HookEvent) => Came
}

const command = (line: string, more: JsonObject = {}): JsonObject => ({ type: "command", command: line, ...more })
const answering = (event: HookEvent, specific: JsonObject | undefined): JsonObject =>
  command(says(event, specific ?? {}))

const acts: { readonly [name: string]: Act } = {
  allow: {
    hook: (event, row) => answering(event, row.decides?.("allow")),
    came: (row) => (row.decides ? { verdict: "allow", reason: "because" } : {}),
  },
  deny: {
    hook: (event, row) =>
      row.decides ? answering(event, row.decides("deny")) : command(answers({ decision: "block", reason: "because" })),
    came: (row) => no(row, "because"),
  },
  ask: {
    hook: (event, row) => answering(event, row.decides?.("ask")),
    came(row, event) {
      if (event === "PermissionRequest") return {}
      return row.decides ? { verdict: "ask", reason: "because" } : {}
    },
  },
  change: {
    hook: (event, row) => answering(event, row.changes?.[0]),
    came: (row, event) => ({
      ...(row.changes && { change: row.changes[2] }),
      ...(event === "PermissionRequest" && { verdict: "allow" }),
    }),
  },
  add: {
    hook: (event) => answering(event, { additionalContext: "more" }),
    came: () => ({ contexts: ["more"] }),
  },
  block: { hook: () => command("echo because >&2; exit 2"), came: (row) => no(row, "because") },
  "bad JSON": {
    hook: () => command("echo '{\"decision\": block'"),
    came: () => ({ failure: "what it printed begins like JSON and is none" }),
  },
  crash: {
    hook: () => command("echo broken >&2; exit 7"),
    came: (row) => (row.strict ? { verdict: "deny", reason: "broken" } : { failure: "it ended with code 7: broken" }),
  },
  hang: {
    hook: () => command("sleep 100", { timeout: 0.2 }),
    came: (row) => ({
      failure: "it did not end within 0.2 s",
      ...(row.late && { verdict: "deny", reason: 'The hook "it" is required, and it did not end within 0.2 s.' }),
    }),
  },
  flood: {
    hook: () => command("yes 0123456789 | head -c 3000000; echo; echo end"),
    came: (row, event) =>
      event === "WorktreeCreate"
        ? { change: expect.any(String) }
        : row.tells
          ? { contexts: [expect.stringContaining("[Cut here")] }
          : { says: [expect.stringContaining("[Cut here")] },
  },
  killed: { hook: () => command("kill -9 $$"), came: () => ({ failure: "it was ended by SIGKILL" }) },
  async: {
    hook: (event, row) => ({ ...acts.deny?.hook(event, row), async: true }),
    came: () => ({}),
  },
  "required and broken": {
    hook: () => command("exit 7", { required: true }),
    came: (row) => ({
      verdict: "deny",
      reason: row.strict
        ? "It ended with code 7 and gave no reason."
        : 'The hook "it" is required, and it ended with code 7.',
      ...(!row.strict && { failure: "it ended with code 7" }),
    }),
  },
}

async function cameOf(
  event: HookEvent,
  act: Act,
): Promise<{ readonly came: Came; readonly entries: readonly HookBody[] }> {
  const row = rows[event]
  const hook = { name: "it", ...act.hook(event, row) }
  const source = {
    source: "user settings",
    file: "settings.json",
    isProject: false,
    hooks: { [event]: [{ hooks: [hook] }] },
  }
  const { hooks, problems } = readHooks([source], { ruleProblem: () => undefined })
  expect(problems).toEqual([])
  const entries: HookBody[] = []
  const ended = new AbortController()
  const dispatcher = openDispatcher({
    hooks: () => hooks,
    common: () => ({}),
    isAbout: async () => true,
    record: (body) => void (body.kind === "hook" && entries.push(body)),
    onLateAnswer: () => {},
    recall: () => undefined,
    clock: systemClock,
    session: ended.signal,
    cwd: () => "/tmp",
    env: () => ({ PATH: "/usr/bin:/bin" }),
    program: hookProgram,
    feed: async (feeding) => processes.feed(feeding),
    post: async () => failed("no"),
  })
  const fired = await dispatcher.fire({ event, subjects: ["x"], fields: {} }, ended.signal)
  await dispatcher.settled()
  const { verdict, reason, says: shown, contexts, failure } = fired
  const name = row.changes?.[1]
  const change = name === undefined ? undefined : Object.entries(fired).find(([key]) => key === name)?.[1]
  return {
    entries,
    came: {
      ...(verdict !== undefined && { verdict }),
      ...(reason !== undefined && { reason }),
      ...(shown.length > 0 && { says: shown }),
      ...(contexts.length > 0 && { contexts }),
      ...(failure !== undefined && { failure }),
      ...(change !== undefined && { change }),
    },
  }
}

test.each(Object.entries(acts))("a hook that does this: %s", async (name, act) => {
  const all = await Promise.all(hookEvents.map(async (event) => ({ event, ...(await cameOf(event, act)) })))
  expect(Object.fromEntries(all.map(({ event, came }) => [event, came]))).toEqual(
    Object.fromEntries(hookEvents.map((event) => [event, act.came(rows[event], event)])),
  )
  // Each run is in the log once; a decision that came too late is in none.
  for (const { entries, came } of all) {
    expect(entries).toHaveLength(1)
    expect(entries[0]?.decision).toBe(name === "async" ? undefined : (came.verdict as never))
    expect(entries[0]?.late).toBe(name === "async" ? true : (undefined as never))
  }
})
