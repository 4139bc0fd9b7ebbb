/** What people ask of sessions that run in workers, and what workers do to each other. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type FleetOp, messageOp } from "#fleet/ops.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import type { SimRequest } from "#sim/request.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../kit/database/postgres-server.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { until } from "../../kit/until.ts"

/** Each story is known by the first word of its prompt. */
const scenario: ScenarioFunction = ({ messages }) => {
  const text = JSON.stringify(messages)
  const [, story = ""] = /Story (\w+)/.exec(text) ?? []
  const results = text.split('"tool_result"').length - 1
  return stories[story]?.(results, messages) ?? { content: "No such story." }
}

const bash = (command: string) => ({ content: [{ tool: "Bash", input: { command } }] })
const done = { content: "Done." }

const stories: {
  readonly [name: string]: (results: number, messages: SimRequest["messages"]) => ReturnType<typeof bash> | typeof done
} = {
  plan(results, messages) {
    const path = /(\/[^"\\ ]*\/plans\/[a-z0-9-]+\.md)/.exec(JSON.stringify(messages))?.[1] ?? ""
    if (results === 0) return { content: [{ tool: "Write", input: { file_path: path, content: planText } }] } as never
    if (results === 1)
      return {
        content: [{ tool: "ExitPlanMode", input: { allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] } }],
      } as never
    if (results === 2)
      return { content: [{ tool: "Write", input: { file_path: "planned.txt", content: "as planned\n" } }] } as never
    if (results === 3) return bash("npm test")
    return done
  },
  choice(results) {
    const options = [
      { label: "Red", description: "like fire" },
      { label: "Blue", description: "like water" },
    ]
    const question = { question: "Which colour?", header: "Colour", options, multiSelect: false }
    return results === 0
      ? ({ content: [{ tool: "AskUserQuestion", input: { questions: [question] } }] } as never)
      : done
  },
  message: (results, messages) => (JSON.stringify(messages).includes("And more") ? { content: "More." } : done),
  edit: (results) =>
    results === 0
      ? ({ content: [{ tool: "Write", input: { file_path: "edited.txt", content: "new\n" } }] } as never)
      : done,
  agent: (results) =>
    results === 0
      ? ({
          content: [
            {
              tool: "Task",
              input: { description: "Take a note", prompt: "Story agentwork", subagent_type: "general-purpose" },
            },
          ],
        } as never)
      : done,
  agentwork: (results) => (results === 0 ? bash("echo once >> by-agent.txt") : done),
  note: (results) => (results === 0 ? bash("echo once >> noted.txt") : done),
  slow: (results) => (results === 0 ? bash("echo begun >> slow.txt; sleep 4; echo ended >> slow.txt") : done),
  paused: (results) => (results === 0 ? bash("echo once >> paused.txt; sleep 3") : done),
  stalled: (results) =>
    results === 0
      ? bash("echo once >> stalled.txt; sleep 2")
      : results === 1
        ? bash("echo twice >> stalled.txt")
        : done,
}

const planText = "# Plan\n\n## Files to create\n- planned.txt\n\n## Commands\n- `npm test`\n"

describe.skipIf(!hasPostgres)("sessions in workers", () => {
  let fleet: Fleet
  let worker: WorkerProcess
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
    fleet = await openFleet(scenario, server)
    worker = await fleet.startWorker()
  }, 300_000)
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  const isOver = ({ stage }: { readonly stage: string }): boolean => stage === "completed" || stage === "failed"
  /** The one that runs is ended in order, and another one takes its place. */
  async function replaceWorker(): Promise<void> {
    await worker.end("SIGTERM")
    worker = await fleet.startWorker()
  }

  test(
    "a plan is approved with what it wishes for in another worker, and carried out without asking again",
    async () => {
      const id = await fleet.create({ query: "Story plan", mode: "plan" })
      const asked = await fleet.until(id, ({ stage }) => stage === "awaiting_plan_approval")
      expect(asked.worker).toBeUndefined()
      expect(asked.plan).toMatchObject({ markdown: planText, filesToCreate: ["planned.txt"], commands: ["npm test"] })
      await replaceWorker()
      const { approval } = await fleet.decide(id, true, { mode: "acceptEdits", wishes: ["run tests"] })
      expect(approval.digest).toBe(asked.plan?.digest ?? "")
      // Nothing else is asked: the plan may run its tests.
      const end = await fleet.until(id, (now) => isOver(now) || now.stage === "awaiting_tool_approval")
      expect(end).toMatchObject({ stage: "completed", mode: "acceptEdits" })
      expect(await fleet.place.read("planned.txt")).toBe("as planned\n")
    },
    Infinity,
  )

  test(
    "no session works in folders of the program itself, also not through a link",
    async () => {
      const link = join(fleet.place.path, "innocent")
      symlinkSync(join(worker.state, "cache"), link)
      for (const path of [worker.state, join(worker.state, "database"), link]) {
        const id = await fleet.create({ query: "Story message", opening: { workspace: { path } } })
        const { stage, result } = await fleet.until(id, isOver)
        expect([stage, result?.text]).toEqual(["failed", expect.stringContaining("belongs to Codewright itself")])
      }
    },
    Infinity,
  )

  test(
    "a question is answered in another worker, and the answer reaches the model",
    async () => {
      const id = await fleet.create({ query: "Story choice" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_answer")
      await replaceWorker()
      await fleet.decide(id, true, { answers: { "Which colour?": "Blue" } })
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed", result: { text: "Done." } })
      const lines = (await fleet.store.lines.after(id, 0, 1000)).join("\n")
      expect(lines).toContain("Blue")
    },
    Infinity,
  )

  test(
    "a message continues what is over, once, and the log says who asked",
    async () => {
      const id = await fleet.create({ query: "Story message" })
      await fleet.until(id, isOver)
      await Promise.all(["m1", "m1"].map((op) => fleet.store.ops.add(id, op, messageOp("And more"), "ann")))
      await fleet.until(id, ({ result }) => result?.text === "More.")
      await until(async () => (await fleet.store.ops.waiting(id)).length === 0)
      const lines = (await fleet.store.lines.after(id, 0, 1000)).join("\n")
      expect(lines.split('"promptId":"m1"').length - 1).toBeLessThanOrEqual(2)
    },
    Infinity,
  )

  test(
    "files go back: first as a look, then for real",
    async () => {
      const id = await fleet.create({ query: "Story edit", mode: "acceptEdits" })
      await fleet.until(id, isOver)
      const path = join(fleet.place.work, "edited.txt")
      expect(existsSync(path)).toBe(true)
      const preview = { type: "preview", promptId: id } as const
      const rewind = { type: "rewind", promptId: id, what: "both" } as const
      const answered = async (name: string, op: FleetOp) => {
        await fleet.store.ops.add(id, name, op, "ann")
        for (;;) {
          const kept = await fleet.store.ops.get(id, name)
          if (kept?.answer) return kept.answer
          await Bun.sleep(30)
        }
      }
      expect(await answered("look", preview)).toMatchObject({
        ok: true,
        value: { files: [{ change: "removed" }] },
      })
      expect(existsSync(path)).toBe(true)
      expect(await answered("back", rewind)).toMatchObject({ ok: true, value: { files: [{ change: "removed" }] } })
      expect(existsSync(path)).toBe(false)
      expect(await answered("again", rewind)).toMatchObject({ ok: false })
    },
    Infinity,
  )

  test(
    "an interrupt ends what waits: its approval is void, and nothing is done",
    async () => {
      const id = await fleet.create({ query: "Story note" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      valueOf(await fleet.store.ops.add(id, "stop", { type: "interrupt" }, "ann"))
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed", result: { ok: false } })
      const [asked] = await fleet.store.approvals.of(id)
      expect(asked?.state).toBe("void")
      expect(existsSync(join(fleet.place.work, "noted.txt"))).toBe(false)
    },
    Infinity,
  )

  test(
    "a plan that changed since it was shown is asked about again, and the decision about the first is void",
    async () => {
      const id = await fleet.create({ query: "Story plan", mode: "plan" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_plan_approval")
      const [shown] = await fleet.store.approvals.of(id)
      writeFileSync(String(shown?.action.input["path"]), `${planText}- another step\n`)
      await fleet.decide(id, true, { mode: "acceptEdits" })
      await until(async () => (await fleet.store.approvals.of(id)).length >= 2)
      const asked = await fleet.until(
        id,
        ({ stage, worker: by }) => stage === "awaiting_plan_approval" && by === undefined,
      )
      expect(asked.plan?.markdown).toContain("another step")
      const late = {
        sessionId: id,
        approvalId: shown?.id ?? "",
        digest: shown?.digest ?? "",
        allows: true,
        answer: {},
        by: "bob",
      }
      expect(await fleet.store.approvals.decide(late)).toMatchObject({ ok: false, failure: { kind: "void" } })
      expect((await fleet.store.approvals.of(id)).map(({ state }) => state)).toEqual(["void", "open"])
      valueOf(await fleet.store.sessions.cancel(id, "ann"))
    },
    Infinity,
  )

  test(
    "an allowed write does not overwrite what somebody else wrote since",
    async () => {
      const id = await fleet.create({ query: "Story edit" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      writeFileSync(join(fleet.place.work, "edited.txt"), "somebody else's\n")
      await fleet.decide(id, true)
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed" })
      expect(await fleet.place.read("edited.txt")).toBe("somebody else's\n")
    },
    Infinity,
  )

  test(
    "an agent of the session waits too, and continues in another worker, whose disk knows nothing of it",
    async () => {
      const id = await fleet.create({ query: "Story agent" })
      const asked = await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      expect(asked.worker).toBeUndefined()
      await worker.end("SIGTERM")
      const [{ folder = "" } = {}] = await fleet.sql<{ folder: string }>(
        "select folder from codewright.fleet_sessions where id = $1",
        [id],
      )
      expect(existsSync(join(folder, "session", "subagents"))).toBe(true)
      rmSync(folder, { recursive: true })
      worker = await fleet.startWorker()
      await fleet.decide(id, true)
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed", result: { ok: true, text: "Done." } })
      expect(await fleet.place.read("by-agent.txt")).toBe("once\n")
      const events = await fleet.store.lines.events(id, 0, 10_000)
      expect(events.filter(({ data }) => data.startsWith("@"))).toEqual([])
    },
    Infinity,
  )

  test(
    "an approval that nobody gave in time is a no",
    async () => {
      const id = await fleet.create({ query: "Story note" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      const [asked] = await fleet.store.approvals.of(id)
      await fleet.sql("update codewright.fleet_approvals set expires_at = 1 where session = $1", [id])
      const late = {
        sessionId: id,
        approvalId: asked?.id ?? "",
        digest: asked?.digest ?? "",
        allows: true,
        answer: {},
        by: "bob",
      }
      expect(await fleet.store.approvals.decide(late)).toMatchObject({ ok: false, failure: { kind: "expired" } })
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed" })
      expect(existsSync(join(fleet.place.work, "noted.txt"))).toBe(false)
    },
    Infinity,
  )

  test(
    "a worker that stood still is fenced off: what it was doing ends, and nothing more is done by it",
    async () => {
      const id = await fleet.create({ query: "Story stalled" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      await fleet.decide(id, true)
      while (!existsSync(join(fleet.place.work, "stalled.txt"))) await Bun.sleep(30)
      process.kill(worker.pid, "SIGSTOP")
      // As if its time were over.
      await fleet.sql("update codewright.fleet_sessions set lease_until = 1 where id = $1", [id])
      const other = await fleet.startWorker()
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      process.kill(worker.pid, "SIGCONT")
      await fleet.decide(id, true)
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed" })
      expect(await fleet.place.read("stalled.txt")).toBe("once\ntwice\n")
      expect(await other.end("SIGTERM")).toBe(143)
      expect(worker.stderr()).not.toContain("mistake")
    },
    Infinity,
  )

  test(
    "a worker that stood still takes its own session again, once it has let go of it",
    async () => {
      const id = await fleet.create({ query: "Story paused" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      await fleet.decide(id, true)
      while (!existsSync(join(fleet.place.work, "paused.txt"))) await Bun.sleep(30)
      await fleet.sql("update codewright.fleet_sessions set lease_until = 1 where id = $1", [id])
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed", result: { text: "Done." } })
      expect(await fleet.place.read("paused.txt")).toBe("once\n")
    },
    Infinity,
  )

  test(
    "a worker that is told to stop lets what runs end, and hands the rest over",
    async () => {
      const id = await fleet.create({
        query: "Story slow",
        mode: "default",
        opening: { workspace: { path: fleet.place.work } },
      })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      await fleet.decide(id, true)
      while (!existsSync(join(fleet.place.work, "slow.txt"))) await Bun.sleep(30)
      expect(await worker.end("SIGTERM")).toBe(143)
      expect(await fleet.place.read("slow.txt")).toBe("begun\nended\n")
      worker = await fleet.startWorker()
      expect(await fleet.until(id, isOver)).toMatchObject({ stage: "completed", result: { text: "Done." } })
      expect(await fleet.place.read("slow.txt")).toBe("begun\nended\n")
    },
    Infinity,
  )

  test(
    "the database is away for a while: everything continues by itself",
    async () => {
      const id = await fleet.create({ query: "Story note" })
      await fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval")
      await fleet.decide(id, true)
      await server.stop()
      await server.start()
      for (;;) {
        const session = await fleet.store.sessions.get(id).catch(() => undefined)
        if (session && isOver(session)) break
        await Bun.sleep(50)
      }
      expect(await fleet.place.read("noted.txt")).toBe("once\n")
      expect(worker.stderr()).not.toContain("mistake")
    },
    Infinity,
  )
})
