/** Gates of sessions in workers: whoever waits holds no process, and another worker continues without doing anything twice. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { GateName } from "#agent/words/gates.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const question = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "like fire" },
    { label: "Blue", description: "like water" },
  ],
  multiSelect: false,
}

const scenario: ScenarioFunction = ({ messages }) => {
  const text = JSON.stringify(messages)
  const results = text.split('"tool_result"').length - 1
  if (text.includes("Story unclear"))
    return (
      [calls(use("AskUserQuestion", { questions: [question] })), calls(use("ConfirmTask", { task: "Paint it blue." }))][
        results
      ] ?? says("Painted.")
    )
  const [, name = ""] = /Story (\w+)/.exec(text) ?? []
  return results === 0 ? calls(bash(`echo once >> ${name}.txt`)) : says("Done.")
}

describe.skipIf(!hasPostgres)("gates in workers", () => {
  let fleet: Fleet
  let worker: WorkerProcess
  beforeAll(async () => {
    fleet = await openFleet(scenario)
    worker = await fleet.startWorker()
  }, 300_000)
  afterAll(() => fleet[Symbol.asyncDispose]())
  const isOver = ({ stage }: { readonly stage: string }): boolean => stage === "completed" || stage === "failed"
  const opening = (gates: object) => ({ workspace: { path: fleet.place.work }, gates })

  for (const [name, isAllowed] of [
    ["kept", true],
    ["rejected", false],
  ] as const)
    test(
      `a new file that is reviewed in another worker is ${name}, and its command ran once`,
      async () => {
        const id = await fleet.create({
          query: `Story ${name}`,
          mode: "acceptEdits",
          opening: opening({ files: true }),
        })
        await fleet.until(id, ({ stage, worker: by }) => stage === "awaiting_tool_approval" && by === undefined)
        const path = join(fleet.place.work, `${name}.txt`)
        expect(existsSync(path)).toBe(true)
        await worker.end("SIGTERM")
        worker = await fleet.startWorker()
        await fleet.decide(id, isAllowed)
        expect(isOver(await fleet.until(id, isOver))).toBe(true)
        expect(existsSync(path)).toBe(isAllowed)
        if (isAllowed) expect(await fleet.place.read(`${name}.txt`)).toBe("once\n")
        expect((await fleet.store.approvals.of(id)).map(({ state }) => state)).toEqual([
          isAllowed ? "allowed" : "denied",
        ])
      },
      Infinity,
    )

  test(
    "the gates of a project hold in a worker too, and an admin can leave one out of a session",
    async () => {
      const work = join(fleet.place.work, "gated")
      mkdirSync(join(work, ".codewright"), { recursive: true })
      writeFileSync(join(work, ".codewright", "settings.json"), JSON.stringify({ gates: { files: true } }))
      const [gated, open] = [
        await fleet.create({ query: "Story gated", mode: "acceptEdits", opening: { workspace: { path: work } } }),
        await fleet.create({
          query: "Story open",
          mode: "acceptEdits",
          opening: { workspace: { path: work }, gates: { files: false }, openGates: ["files"] },
        }),
      ]
      const waits = (session: { readonly stage: string }): boolean =>
        isOver(session) || session.stage === "awaiting_tool_approval"
      expect((await fleet.until(gated, waits)).stage).toBe("awaiting_tool_approval")
      expect(await fleet.until(open, waits)).toMatchObject({ stage: "completed", result: { text: "Done." } })
      expect(existsSync(join(work, "open.txt"))).toBe(true)
      await fleet.decide(gated, false)
      await fleet.until(gated, isOver)
      expect(existsSync(join(work, "gated.txt"))).toBe(false)
    },
    Infinity,
  )

  test(
    "a gate is switched while nobody has the session, and another worker knows; what the project asks for stays for operators",
    async () => {
      const work = join(fleet.place.work, "switched")
      mkdirSync(join(work, ".codewright"), { recursive: true })
      writeFileSync(join(work, ".codewright", "settings.json"), JSON.stringify({ gates: { files: true } }))
      const id = await fleet.create({
        query: "Story changed",
        mode: "acceptEdits",
        opening: { workspace: { path: work } },
      })
      const waits = (session: { readonly stage: string; readonly worker?: unknown }): boolean =>
        isOver(session) || (session.stage === "awaiting_tool_approval" && session.worker === undefined)
      expect((await fleet.until(id, waits)).gates).toContainEqual({
        gate: "files",
        on: true,
        source: "project",
        kept: "admin",
      })
      const asked = async (name: string, what: { on: boolean; gate: GateName; limits?: "session" }, by: string) => {
        await fleet.store.ops.add(id, name, { type: "set_gate", by, ...what }, by)
        for (;;) {
          const { answer } = (await fleet.store.ops.get(id, name)) ?? {}
          if (answer) return answer
          await Bun.sleep(30)
        }
      }
      expect(await asked("no", { gate: "files", on: false, limits: "session" }, "bob")).toEqual({
        ok: false,
        message: "The gate files is set by the project's settings. Only an admin can switch it off.",
      })
      expect(await asked("git", { gate: "git", on: true, limits: "session" }, "bob")).toMatchObject({ ok: true })
      expect(await asked("files", { gate: "files", on: false }, "ann")).toMatchObject({ ok: true })
      await fleet.until(id, waits)
      await worker.end("SIGTERM")
      worker = await fleet.startWorker()
      await fleet.decide(id, true)
      const { gates } = await fleet.until(id, isOver)
      expect(gates?.filter(({ on, source }) => on || source)).toEqual([
        { gate: "files", on: false, source: "session", by: "ann" },
        { gate: "git", on: true, source: "session", by: "bob" },
      ])
    },
    Infinity,
  )

  test(
    "what is unclear is asked, and the clarified task is in the record",
    async () => {
      const id = await fleet.create({ query: "Story unclear", opening: opening({ clarify: true }) })
      await fleet.until(id, ({ stage, worker: by }) => stage === "awaiting_clarification" && by === undefined)
      await fleet.decide(id, true, { answers: { "Which colour?": "Blue" } })
      expect(await fleet.until(id, isOver)).toMatchObject({
        stage: "completed",
        clarifiedQuery: "Paint it blue.",
        result: { ok: true, text: "Painted." },
      })
    },
    Infinity,
  )
})
