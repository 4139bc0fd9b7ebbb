/** The memory of a session: written beside the work, used in place of summaries, and clean of what rules hide. */

import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { recordedMemory } from "#session/replay/recorded-memory.ts"
import { playAgain } from "../../kit/play-again.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { calls, read, says } from "../../kit/script.ts"

const filler = "The sums of this turn are right, and the list has one more line. ".repeat(130)

/** Keeps every fact it is told, and nothing else. */
function rememberedIn(user: string): string {
  const facts = [...new Set(user.match(/fact \d+ is [A-Z]+-\d+/g) ?? [])]
  return `<memory>\n# Goal\nThe developer wants numbers noted, turn by turn.\n# Facts\n${facts.map((fact) => `- The ${fact} of the list`).join("\n")}\n</memory>`
}

/** Notes one fact a turn, in its own words only, and answers from what it is sent. */
const worker: ScenarioFunction = ({ system, messages }) => {
  const text = JSON.stringify(messages)
  if (system.includes("You keep the memory")) return says(rememberedIn(text))
  if (text.includes("Write a summary that takes its place"))
    return says(
      "<summary>Noted the next number, turn by turn; the sums are right, and the list has one more line.</summary>",
    )
  const said = messages.at(-1)?.content.findLast(({ text: words }) => String(words).startsWith("turn "))?.text
  const isAsked = text.includes("What was the first fact?")
  const turn = isAsked ? undefined : /^turn (\d+):/.exec(String(said))?.[1]
  if (turn !== undefined) return says(`Noted: fact ${turn} is MARBLE-${Number(turn) * 7}. ${filler}`)
  return says(/fact 1 is [A-Z]+-\d+/.exec(text)?.[0] ?? "I do not know.")
}

const options = {
  script: worker,
  facts: { window: 34_000, maxOutput: 8_000 },
  memory: { session: true },
} as const satisfies TestSessionOptions & { readonly script: ScenarioFunction }

const memoryFile = (t: TestSession): string => join(t.logPath.replace(/\.jsonl$/, ""), "memory.md")
const memoryOf = (t: TestSession): string => (existsSync(memoryFile(t)) ? readFileSync(memoryFile(t), "utf8") : "")

const compactions = (t: TestSession): readonly (Entry & { readonly kind: "compaction" })[] =>
  t.entries().filter((entry) => entry.kind === "compaction")

const summariesAsked = (t: TestSession): number =>
  t.requests().filter((messages) => JSON.stringify(messages).includes("Write a summary that takes its place")).length

async function workUntil(t: TestSession, isEnough: () => boolean, from = 1): Promise<number> {
  for (let turn = from; turn < from + 60; turn++) {
    await t.prompt(`turn ${turn}: note the next number`)
    if (isEnough()) return turn
  }
  throw new Error("it was never enough")
}

describe("the memory of a session", () => {
  test("three compactions later, the first hour is still known, and no summary was asked for", async () => {
    await using t = await openTestSession(options)
    await workUntil(t, () => compactions(t).length === 3)
    expect(compactions(t).map(({ by }) => by)).toEqual(["memory", "memory", "memory"])
    expect(summariesAsked(t)).toBe(0)
    await t.prompt("What was the first fact?")
    expect(t.entries().findLast((entry) => entry.kind === "reply")?.block).toMatchObject({ text: "fact 1 is MARBLE-7" })
  })

  test("a replay compacts as the original did", async () => {
    await using t = await openTestSession(options)
    await workUntil(t, () => compactions(t).length === 2)
    const { seen, second } = await playAgain(t, (port) =>
      openTestSession({
        ...options,
        memory: { recorded: recordedMemory(t.entries()) },
        model: { port, id: "claude-sonnet-5" },
      }),
    )
    await using _ = second
    expect(compactions(second).map(({ by }) => by)).toEqual(["memory", "memory"])
    expect(seen.first).toBeUndefined()
  })

  test("without it, the same conversation has forgotten", async () => {
    await using t = await openTestSession({ ...options, memory: {} })
    await workUntil(t, () => compactions(t).length === 3)
    expect(memoryOf(t)).toBe("")
    await t.prompt("What was the first fact?")
    expect(t.entries().findLast((entry) => entry.kind === "reply")?.block).toMatchObject({ text: "I do not know." })
  })

  test("is what the user made of it, also after a resume", async () => {
    await using t = await openTestSession(options)
    const turn = await workUntil(t, () => memoryOf(t) !== "")
    writeFileSync(
      memoryFile(t),
      `${memoryOf(t)}\n- The developer corrected: fact 1 is GRANITE-1\n`.replace("fact 1 is MARBLE-7", ""),
    )
    await using again = await t.reopen()
    await workUntil(again, () => compactions(again).length === 1, turn + 1)
    expect(compactions(again).map(({ by, summary }) => [by, summary.includes("GRANITE-1")])).toEqual([["memory", true]])
  })

  test("a conversation that was rewound does not use what it no longer contains", async () => {
    await using t = await openTestSession(options)
    await workUntil(t, () => memoryOf(t).includes("fact 1 is"))
    await t.session.submit({ type: "clear" })
    await t.settled()
    await workUntil(t, () => compactions(t).length === 1, 100)
    expect(memoryOf(t)).not.toContain("fact 1 is MARBLE-7 ")
    expect(compactions(t)[0]?.summary).not.toContain("fact 1 is MARBLE-7 ")
  })

  test("is removed with a rule that hides what was read before, and not written again", async () => {
    const quoting: ScenarioFunction = (request, ...rest) => {
      const text = JSON.stringify(request.messages.at(-1))
      if (request.system.includes("You keep the memory"))
        return says(
          `<memory>${JSON.stringify(request.messages)}</memory>`.slice(0, 9_000).replace(/(<\/memory>)?$/, "</memory>"),
        )
      if (text.includes("read it")) return calls(read("plans.txt"))
      if (text.includes("tool_result")) return says("It says: the launch is on Thursday.")
      return worker(request, ...rest)
    }
    await using t = await openTestSession({
      ...options,
      script: quoting,
      files: { "plans.txt": "the launch is on Thursday\n" },
    })
    await t.prompt("read it")
    await workUntil(t, () => memoryOf(t).includes("the launch is on Thursday"))
    await t.session.submit({ type: "add_rule", behavior: "deny", rule: "Read(./plans.txt)", destination: "session" })
    expect(memoryOf(t)).toBe("")
    await workUntil(t, () => compactions(t).length === 1, 50)
    expect(memoryOf(t)).toBe("")
    expect(compactions(t).map(({ by }) => by)).toEqual(["model"])
  })

  test("a session that is opened under more rules than before does not use its memory", async () => {
    await using t = await openTestSession(options)
    const turn = await workUntil(t, () => memoryOf(t) !== "")
    await using again = await t.reopen({ deny: ["Read(./secrets/**)"] })
    await workUntil(again, () => compactions(again).length === 1, turn + 1)
    expect(memoryOf(again)).toBe("")
    expect(compactions(again).map(({ by }) => by)).toEqual(["model"])
  })
})
