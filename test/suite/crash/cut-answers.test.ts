/** A program that dies at any moment around an answer that broke off: no effect is repeated, and none is forgotten. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import { answered } from "#agent/words/tool.ts"
import * as shape from "#lib/shape.ts"
import { resultText } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { use } from "../../kit/script.ts"
import { answerComplaints } from "../../kit/test-loop.ts"

setDefaultTimeout(300_000)

const effects = ["one", "two", "three", "four"]

/** Asks for every effect that it is not told of as done; the first answer breaks off where the test says. */
function attentive(afterBytes: number): ScenarioFunction {
  let isFirst = true
  return ({ messages }) => {
    const calls = new Map<unknown, string>()
    const done = new Set<string>()
    for (const block of messages.flatMap(({ content }) => content)) {
      if (block.type === "tool_use") calls.set(block.id, JSON.stringify(block.input))
      const isDone = block.is_error !== true || resultText(block.content).includes("It took effect")
      if (block.type === "tool_result" && isDone) done.add(calls.get(block.tool_use_id) ?? "")
    }
    const missing = effects.filter((line) => !done.has(JSON.stringify({ line })))
    if (missing.length === 0) return { content: "Everything is done." }
    const content = [...missing.map((line) => use("Append", { line })), { text: "and so on ".repeat(20) }]
    const cut = isFirst && { fault: { name: "closed_at_byte", afterBytes } as const }
    isFirst = false
    return { content, ...cut }
  }
}

interface Moment {
  readonly log: Buffer
  readonly journal: string
}

for (const [where, afterBytes] of [
  ["in its second call", 1_500],
  ["after its calls", 3_200],
] as const)
  test(`an answer that breaks off ${where}, and a crash at every moment`, async () => {
    const moments: Moment[] = []
    const path = (): string => t.path("journal.txt")
    const journal = (): string => (existsSync(path()) ? readFileSync(path(), "utf8") : "")
    let isWatched = true
    const look = (): void => {
      if (isWatched) moments.push({ log: readFileSync(t.logPath), journal: journal() })
    }
    const kit: Kit = {
      name: "appending",
      onEntry: ({ kind }) => {
        if (["reply", "reply_end", "intent", "result", "request"].includes(kind)) look()
      },
      tools: [
        defineTool({
          name: "Append",
          description: "Adds a line to the journal.",
          input: shape.object({ line: shape.string() }),
          title: ({ line }) => `Append ${line}`,
          footprint: () => writes(path()),
          async run({ line }) {
            appendFileSync(path(), `${line}\n`)
            look()
            return answered(`added ${line}`)
          },
        }),
      ],
    }
    await using t = await openTestSession({ script: attentive(afterBytes), kits: [kit] })
    expect(await t.prompt("add the lines")).toEqual({ reason: "completed" })
    expect(journal()).toBe(`${effects.join("\n")}\n`)
    const cuts = t.entries().flatMap((entry) => (entry.kind === "reply_end" && entry.cut ? [entry.cut] : []))
    expect(cuts).toEqual(["broken"])
    isWatched = false

    expect(moments.length).toBeGreaterThan(15)
    for (const [at, moment] of moments.entries()) {
      await t.session.close()
      writeFileSync(t.logPath, moment.log)
      // A file that was not there yet must not be there as an empty one: a resume looks whether it has changed.
      rmSync(path(), { force: true })
      if (moment.journal !== "") writeFileSync(path(), moment.journal)
      await using again = await t.reopen()
      expect([at, await again.prompt("continue")]).toEqual([at, { reason: "completed" }])
      expect([at, journal().trim().split("\n").toSorted()]).toEqual([at, effects.toSorted()])
      expect([at, answerComplaints(again.entries())]).toEqual([at, []])
      expect([at, again.simulator.stats().refusals]).toEqual([at, 0])
    }
  })
