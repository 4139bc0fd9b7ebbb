/**
 * A server of 2026-07-28 asks in its result and forgets: the call acts only when it is made again with the answers. So a form
 * that was open when the process was killed can be answered by another one, and the call happens exactly once.
 */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openModernSession } from "../kit/killed-session.ts"
import { openPlace } from "../kit/run-codewright.ts"

test("a form that was open at kill -9 is answered while nobody ran, and used by the next process", async () => {
  using place = openPlace()
  await using t = await openModernSession(place, "enrol", place.path)
  const first = t.start({ prompt: "go" })
  const question = await first.says("asked ")
  const session = await first.says("session ")
  await first.kill()
  expect(existsSync(join(place.path, "told"))).toBe(false)

  const shown: unknown = JSON.parse((await t.sessions("questions", session, "--json")).stdout)
  expect(shown).toMatchObject([
    { id: question, kind: "elicitation", action: { input: { message: "What is your name?" } } },
  ])
  expect((await t.sessions("answer", session, question, "--accept", '{"name":"Ada"}')).code).toBe(0)

  const third = t.start({ resume: session })
  await third.says("settled")
  await third.exited
  expect(third.lines().filter((line) => line.startsWith("asked "))).toEqual([])
  expect(readFileSync(join(place.path, "told"), "utf8")).toBe("enrol Ada\n")
  expect(t.results().at(-1)).toBe('"Hello Ada."')
})

test("a form that was open at kill -9 is asked again by the next process", async () => {
  using place = openPlace()
  await using t = await openModernSession(place, "twice", place.path)
  const first = t.start({ prompt: "go" })
  const question = await first.says("asked ")
  const session = await first.says("session ")
  await first.kill()
  expect((await t.sessions("answer", session, question, "--accept", '{"name":"Ada"}')).code).toBe(0)

  // The same words are another question: the answer to the first is not taken for the second.
  const second = t.start({ resume: session })
  const other = await second.says("asked ")
  expect(other).not.toBe(question)
  await second.kill()
  expect((await t.sessions("answer", session, other, "--accept", '{"name":"Bo"}')).code).toBe(0)
  const third = t.start({ resume: session })
  await third.says("settled")
  await third.exited
  expect(readFileSync(join(place.path, "told"), "utf8")).toBe("twice Ada Bo\n")
})
