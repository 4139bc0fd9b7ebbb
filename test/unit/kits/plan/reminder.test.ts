/** What the model is told about plan mode and how often, exactly. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import fc from "fast-check"
import { refold, notifyFollowers } from "#agent/words/follower.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { beginning, broughtUpTo, foldPhase, type Phase } from "#kits/plan/phase.ts"
import { openPlan, type OpenPlan } from "./open-plan.ts"

function writePlan({ kit }: OpenPlan, text = "# Plan"): string {
  const { path } = kit.named()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const textOf = ({ entries }: OpenPlan, name: string): string =>
  entries.findLast((entry) => entry.kind === "attachment" && entry.name === name)?.kind === "attachment"
    ? (entries.findLast((entry) => entry.kind === "attachment" && entry.name === name) as { text: string }).text
    : ""

test("over 30 answers: full, then every fifth answer one, of which every third is full", async () => {
  using t = openPlan()
  t.record({ kind: "mode", mode: "plan" })
  const told: string[] = []
  for (let answer = 0; answer < 30; answer++) {
    for (const name of await t.gather()) told.push(`${answer} ${name}`)
    t.answerOnce()
  }
  expect(told).toEqual([
    "0 plan_mode full",
    "5 plan_mode sparse",
    "10 plan_mode sparse",
    "15 plan_mode full",
    "20 plan_mode sparse",
    "25 plan_mode sparse",
  ])
})

test("asking twice before an answer tells nothing twice", async () => {
  using t = openPlan()
  t.record({ kind: "mode", mode: "plan" })
  expect(await t.gather()).toEqual(["plan_mode full"])
  expect(await t.gather()).toEqual([])
})

test("nothing is said outside plan mode", async () => {
  using t = openPlan()
  t.answerOnce()
  expect(await t.gather()).toEqual([])
})

test("an exit is told once, and the next planning begins with a full reminder and the old plan", async () => {
  using t = openPlan()
  t.record({ kind: "mode", mode: "plan" })
  await t.gather()
  const path = writePlan(t)
  t.answerOnce()
  t.record({ kind: "mode", mode: "acceptEdits" })
  expect(await t.gather()).toEqual(["plan_mode_exit"])
  expect(textOf(t, "plan_mode_exit")).toContain(path)
  expect(await t.gather()).toEqual([])
  t.record({ kind: "mode", mode: "plan" })
  expect(await t.gather()).toEqual(["plan_mode_reentry", "plan_mode full"])
  expect(textOf(t, "plan_mode_reentry")).toContain(path)
  for (let i = 0; i < 5; i++) t.answerOnce()
  expect(await t.gather()).toEqual(["plan_mode sparse"])
})

test("without a plan file there is nothing to come back to, until there is one", async () => {
  using t = openPlan()
  t.record({ kind: "mode", mode: "plan" })
  await t.gather()
  t.record({ kind: "mode", mode: "default" })
  t.record({ kind: "mode", mode: "plan" })
  expect(await t.gather()).toEqual(["plan_mode full"])
  writePlan(t)
  expect(await t.gather()).toEqual(["plan_mode_reentry"])
  expect(await t.gather()).toEqual([])
})

test("entering again before the exit was told leaves nothing to tell", async () => {
  using t = openPlan()
  t.record({ kind: "mode", mode: "plan" })
  t.record({ kind: "mode", mode: "default" })
  t.record({ kind: "mode", mode: "plan" })
  t.record({ kind: "mode", mode: "default" })
  t.record({ kind: "mode", mode: "plan" })
  expect(await t.gather()).toEqual(["plan_mode full"])
})

test("between two other modes nothing is told", async () => {
  using t = openPlan()
  for (const mode of ["acceptEdits", "auto", "default", "bypassPermissions"] as const) t.record({ kind: "mode", mode })
  expect(await t.gather()).toEqual([])
})

describe("the words", () => {
  test("a full reminder names the file, the counts of agents, the five phases and how a turn ends", async () => {
    using t = openPlan({ agents: () => ({ explore: 4, plan: 2 }) })
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    const text = textOf(t, "plan_mode")
    const { path } = t.kit.named()
    for (const part of [
      path,
      "does not exist yet",
      "up to 4",
      "up to 2",
      "1. Understand",
      "2. Design",
      "3. Review",
      "4. Write the final plan",
      "5. Call ExitPlanMode",
      "AskUserQuestion",
      "verify",
    ])
      expect(text).toContain(part)
  })

  test("where there are no agents to start, none are spoken of", async () => {
    using t = openPlan({ agents: () => undefined })
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    expect(textOf(t, "plan_mode")).not.toMatch(/agent/i)
  })

  test("a plan that exists is to be edited", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    writePlan(t)
    await t.gather()
    expect(textOf(t, "plan_mode")).toContain("It exists")
  })

  test("where nobody can approve, no question is promised", async () => {
    using t = openPlan({ canAsk: false })
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    expect(textOf(t, "plan_mode")).toContain("Nobody can approve")
    expect(t.kit.tools?.map(({ name }) => name)).toEqual(["ExitPlanMode"])
  })

  test("the sparse one is two sentences", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    for (let i = 0; i < 5; i++) t.answerOnce()
    await t.gather()
    expect(textOf(t, "plan_mode").split(/(?<=[.!?])\s/)).toHaveLength(2)
  })

  test("a subagent gets its own short form, with its own file", async () => {
    using t = openPlan({ agent: { kind: "sub", id: "a1/../x", slug: () => "calm-running-fox" } })
    t.record({ kind: "mode", mode: "plan" })
    expect(await t.gather()).toEqual(["plan_mode full"])
    const text = textOf(t, "plan_mode")
    expect(text).toContain("calm-running-fox-agent-a1----x.md")
    expect(text.length).toBeLessThan(500)
    expect(t.entries.filter(({ kind }) => kind === "plan")).toEqual([])
    t.record({ kind: "mode", mode: "default" })
    expect(await t.gather()).toEqual([])
  })
})

describe("the state is folded from entries", () => {
  test("a resume knows the plan, the mode before and what was told", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "acceptEdits" })
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    const path = writePlan(t)
    t.answerOnce()
    using again = openPlan({
      mode: () => "plan",
      folder: t.folder.join("plans"),
      files: {
        read: () => ({ ok: true, value: "" }),
        write: () => ({ ok: true, value: undefined }),
        exists: () => true,
      },
    })
    for (const entry of t.entries) notifyFollowers([again.kit], entry)
    expect(again.kit.plan()?.path).toBe(path)
    expect(again.kit.modeBefore()).toBe("acceptEdits")
    expect(await again.gather()).toEqual([])
  })

  test("a rewind to before a reminder lets it be given again; the mode stays that of the session", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    const named = t.kit.plan()
    refold([t.kit], t.entries.slice(0, 1))
    expect(t.kit.plan()).toBeUndefined()
    expect(await t.gather()).toEqual(["plan_mode full"])
    expect(t.kit.plan()).not.toEqual(named)
  })

  test("a rewind into planning, after planning is over, says that it is over", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    const planning = [...t.entries]
    t.record({ kind: "mode", mode: "default" })
    await t.gather()
    expect(await t.gather()).toEqual([])
    refold([t.kit], planning)
    expect(await t.gather()).toEqual(["plan_mode_exit"])
  })

  test("after a compaction the reminder is given whole again, and what holds is kept", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    const plan = t.kit.named()
    const named = { kind: "plan", change: "named", ...plan } as const
    const compaction = {
      kind: "compaction",
      trigger: "auto",
      preTokens: 1,
      postTokens: 1,
      by: "model",
      summary: "",
      messages: [],
      standing: [{ kind: "mode", mode: "acceptEdits" }, { kind: "mode", mode: "plan" }, named],
    } as const
    t.record(compaction)
    expect(await t.gather()).toEqual(["plan_mode full"])
    expect(t.kit.plan()).toEqual(plan)
    using tail = openPlan({ mode: () => "plan", folder: t.folder.join("plans") })
    tail.record(compaction)
    expect(tail.kit.plan()).toEqual(plan)
    expect(tail.kit.modeBefore()).toBe("acceptEdits")
    expect(await tail.gather()).toEqual(["plan_mode full"])
  })

  test("a conversation that begins anew has no plan, and the file stays", async () => {
    using t = openPlan()
    t.record({ kind: "mode", mode: "plan" })
    await t.gather()
    const path = writePlan(t)
    const forgotten = t.kit.forgotten()
    expect(forgotten).toEqual({ kind: "plan", change: "forgotten", slug: t.kit.named().slug, path })
    refold([t.kit], [])
    if (forgotten) t.record(forgotten)
    expect(t.kit.plan()).toBeUndefined()
    expect(t.kit.forgotten()).toBeUndefined()
    expect(await t.gather()).toEqual(["plan_mode full"])
    expect(t.kit.named().path).not.toBe(path)
    expect(await Bun.file(path).text()).toBe("# Plan")
  })
})

test("whatever the modes do, exits are told once each and reminders keep their distance", async () => {
  const modes: readonly PermissionMode[] = ["default", "acceptEdits", "plan"]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(...modes), fc.constant("answer" as const)), { maxLength: 60 }),
      async (steps) => {
        using t = openPlan()
        let mode: PermissionMode = "default"
        let left = 0
        let exits = 0
        let since = Number.POSITIVE_INFINITY
        for (const step of steps) {
          if (step === "answer") {
            t.answerOnce()
            since++
          } else {
            if (mode === "plan" && step !== "plan") {
              left++
              since = Number.POSITIVE_INFINITY
            }
            mode = step
            t.record({ kind: "mode", mode: step })
          }
          for (const name of await t.gather()) {
            if (name === "plan_mode_exit") exits++
            if (!name.startsWith("plan_mode ")) continue
            expect(mode).toBe("plan")
            expect(since).toBeGreaterThanOrEqual(5)
            since = 0
          }
        }
        expect(exits).toBe(left)
        // A conversation in the mode of its session is as it says itself.
        const folded = t.entries.reduce<Phase>(foldPhase, beginning)
        expect(broughtUpTo(folded, folded)).toEqual(folded)
      },
    ),
    { numRuns: 60 },
  )
})
