/** A session gets a name from the small model, once, unless the person gave it one. */

import { expect, test } from "bun:test"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

const titles = (t: TestSession): string[] =>
  t.entries().flatMap((entry) => (entry.kind === "title" ? [`${entry.by}: ${entry.text}`] : []))
const namer = { when: { model: /haiku/ }, times: "always", ...says('"Mending the parser."') } as const

test("after the first turn the small model names it, without quotes or a full stop", async () => {
  await using t = await openTestSession({ script: [namer, says("one"), says("two")], names: true })
  await t.prompt("Please mend the parser")
  await t.until((event) => event.type === "entry" && event.entry.kind === "title")
  await t.prompt("And more")
  expect(titles(t)).toEqual(["model: Mending the parser"])
})

test("what the person named is not named again, nor after a resume", async () => {
  await using first = await openTestSession({ script: [namer, says("one"), says("two")], names: true })
  expect(first.session.submit({ type: "rename", title: "Mine" }).ok).toBe(true)
  await first.prompt("Please mend the parser")
  await using t = await first.reopen({ names: true })
  await t.prompt("And more")
  expect(titles(t)).toEqual(["person: Mine"])
  expect(t.requests()).toHaveLength(2)
})

test("a small model that fails leaves the session without a name, and in peace", async () => {
  const broken = { when: { model: /haiku/ }, times: "always", ...says(""), fault: "unauthorized" } as const
  await using t = await openTestSession({ script: [broken, says("one"), says("two")], names: true })
  expect(await t.prompt("first")).toMatchObject({ reason: "completed" })
  expect(await t.prompt("second")).toMatchObject({ reason: "completed" })
  expect(titles(t)).toEqual([])
})
