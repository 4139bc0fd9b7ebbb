/** The panel of all sessions: its keys act on the row they are pressed on. */

import { expect, test } from "bun:test"
import { openOnPaper } from "./on-paper.ts"
import { runningActs } from "./running-scenes.ts"

const down = "\u001b[B"

async function after(...keys: readonly string[]) {
  const { port, acts } = runningActs()
  const opened: string[] = []
  const sessions = { list: async () => ({ ok: true, value: [] }) as const, preview: async () => [] }
  const paper = await openOnPaper(100, 40, {
    panels: { running: port, sessions: { ...sessions, open: ({ resume }) => void opened.push(resume) } },
  })
  for (const part of ["/agents running\r", ...keys]) {
    await paper.type(part)
    await paper.pass(400)
  }
  return { acts, opened, screen: await paper.terminal.screen() }
}

test.each([
  [["a", "1"], [["answer", "s1", { kind: "allow" }]]],
  [["a", "2"], [["answer", "s1", { kind: "deny", interrupt: true }]]],
  [["a", "3", "not now", "\r"], [["answer", "s1", { kind: "deny", interrupt: false, words: "not now" }]]],
  [["a", "\t", "but keep it", "\r"], [["answer", "s1", { kind: "allow", words: "but keep it" }]]],
  [["a", down, "\t", "later", "\r"], [["answer", "s1", { kind: "deny", interrupt: true, words: "later" }]]],
  // What was typed is there again.
  [["a", "\t", "and test", "\u001b", "\t", " it", "\r"], [["answer", "s1", { kind: "allow", words: "and test it" }]]],
  [[down, "a"], []],
  [[down, "x"], [["stop", "s2"]]],
  [[down, "r"], []],
  [["\u001b[F", "d"], [["remove", "s5"]]],
] as const)("%j", async (keys, acts) => {
  expect((await after(...keys)).acts).toEqual([...acts] as never)
})

test("what could not be done is said", async () => {
  expect((await after(down, "r")).screen).toContain("It is working already.")
})

test("Enter leaves for the session, except for the one that is open here", async () => {
  expect((await after(down, "\r")).opened).toEqual(["s2"])
  const stayed = await after(`${down}${down}`, "\r")
  expect(stayed.opened).toEqual([])
  expect(stayed.screen).toContain("This is the session you are in.")
})
