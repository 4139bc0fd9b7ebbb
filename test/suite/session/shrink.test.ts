/** A conversation that was made smaller stays so: after a resume the model sees what it saw before. */

import { expect, test } from "bun:test"
import type { ShrinkRung } from "#agent/words/entry.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says } from "../../kit/script.ts"

/** The ladder is for when nobody compacts, or when that was not enough. */
const never = { when: "never", trigger: { kind: "formula" } } as const

const prints = (name: string) => bash(`yes ${name} | head -c 3000`)
const script = [
  calls(prints("one")),
  calls(prints("two"), prints("three")),
  calls(prints("four")),
  calls(prints("five")),
  says("All printed."),
  says("Still here."),
  says("And again."),
]

const ladders: { readonly [name: string]: readonly ShrinkRung[] } = {
  "cut results": ["results"],
  "the newer half": ["results", "turns"],
  "an extract": ["results", "turns", "summary"],
}

for (const [name, rungs] of Object.entries(ladders))
  test(`after a resume the conversation goes on from ${name}`, async () => {
    await using t = await openTestSession({ compaction: never, script })
    await t.prompt("print")
    t.simulator.setFaults([{ name: "too_long", times: rungs.length }])
    expect(await t.prompt("what I wrote must stay")).toEqual({ reason: "completed" })
    expect(t.story().filter((line) => line.startsWith("shrink"))).toEqual(rungs.map((rung) => `shrink ${rung}`))
    const taken = t.requests().at(-1) ?? []
    expect(JSON.stringify(taken)).toContain("what I wrote must stay")
    expect(JSON.stringify(taken).length).toBeLessThan(JSON.stringify(t.requests().at(5)).length)

    await using again = await t.reopen()
    expect(await again.prompt("go on")).toEqual({ reason: "completed" })
    expect(again.requests().at(-1)).toEqual([
      ...taken,
      { role: "assistant", content: [{ type: "text", text: "Still here." }] },
      { role: "user", content: [{ type: "text", text: "go on" }] },
    ])
    expect(again.simulator.stats().refusals).toBe(0)
  })

test("an answer means that it fits: the next time the ladder starts anew", async () => {
  await using t = await openTestSession({ compaction: never, script })
  await t.prompt("print")
  for (const prompt of ["one", "two"]) {
    t.simulator.setFaults(["too_long"])
    expect(await t.prompt(prompt)).toEqual({ reason: "completed" })
  }
  expect(t.story().filter((line) => line.startsWith("shrink"))).toEqual(["shrink results", "shrink results"])
})

test("what was read before is shown again when it is read after", async () => {
  const content = `${"the content ".repeat(100)}\n`
  await using t = await openTestSession({
    compaction: never,
    files: { "a.txt": content },
    script: [calls(read("a.txt")), says("Read."), calls(read("a.txt")), says("Read again.")],
  })
  await t.prompt("read it")
  t.simulator.setFaults([{ name: "too_long", times: 3 }])
  expect(await t.prompt("read it again")).toEqual({ reason: "completed" })
  expect(JSON.stringify(t.requests().at(-1))).toContain(content.trimEnd())
})

test("what a person said while the agent worked is not lost with the results it stood beside", async () => {
  await using t = await openTestSession({
    compaction: never,
    script: [calls(prints("one")), says("Heard."), says("Here.")],
  })
  t.say("print")
  t.say("mind the steps", "steer")
  await t.settled()
  t.simulator.setFaults([{ name: "too_long", times: 3 }])
  await t.prompt("and now?")
  const last = JSON.stringify(t.requests().at(-1))
  for (const words of ["print", "mind the steps", "and now?"]) expect(last).toContain(words)
})

test("a prompt too long for any window does not spoil the session", async () => {
  await using t = await openTestSession({ script: [says("That was long."), says("Yes?")] })
  expect(await t.prompt(`begin ${"long ".repeat(250_000)} end`)).toEqual({ reason: "completed" })
  const [only] = t.requests().at(-1) ?? []
  expect(JSON.stringify(only)).toContain("begin long")
  expect(JSON.stringify(only)).toContain("long  end")
  expect(await t.prompt("still there?")).toEqual({ reason: "completed" })
})
