/** Quitting asks before it ends work in the background. */

import { expect, test } from "bun:test"
import { type OnPaper, openOnPaper, type PaperOptions } from "./on-paper.ts"
import { permission } from "./scenes.ts"

const running: PaperOptions = {
  answers: {
    background: () => [{ id: "bash_1", command: "npm run dev", startedAt: 0 }],
    agents: () => [
      {
        fact: { agentId: "aaaaaaaa", agentType: "Explore", description: "look", callId: "c", state: "background" },
        usage: { tokens: 0, toolUses: 0, durationMs: 0 },
      },
      {
        fact: { agentId: "bbbbbbbb", agentType: "Plan", description: "old", callId: "d", state: "ended" },
        usage: { tokens: 0, toolUses: 0, durationMs: 0 },
      },
    ],
  },
}

const slowly = async (paper: OnPaper, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) {
    await paper.type(key)
    await paper.pass(400)
  }
}

for (const [name, ...keys] of [
  ["Ctrl+C twice", "\u0003", "\u0003"],
  ["Ctrl+D", "\u0004"],
  ["/exit", "/exit\r"],
] as const)
  test(`${name} lists what runs in the background, and goes only with a yes`, async () => {
    const paper = await openOnPaper(80, 30, running)
    await slowly(paper, ...keys)
    const screen = await paper.terminal.screen()
    expect(screen).toContain("▌ Quit and stop 2 background tasks?")
    expect(screen).toContain("▌ · npm run dev\n▌ · Explore: look\n")
    expect(screen).not.toContain("Plan: old")
    expect(screen).toContain("Enter to confirm · Esc to stay")
    await slowly(paper, "\u001b")
    expect(paper.isOpen()).toBe(true)
    expect(await paper.terminal.screen()).not.toContain("Quit and stop")
    await slowly(paper, ...keys, "1")
    await paper.ended
    expect(paper.isOpen()).toBe(false)
  })

test("Ctrl+C in the question quits, but not by a key that is still held", async () => {
  const paper = await openOnPaper(80, 30, running)
  await slowly(paper, "\u0003", "\u0003")
  await slowly(paper, "2")
  expect(paper.isOpen()).toBe(true)
  await slowly(paper, "\u0003")
  await paper.type("\u0003")
  await paper.pass(10)
  await paper.type("\u0003")
  await paper.pass(10)
  expect(paper.isOpen()).toBe(true)
  await paper.pass(400)
  await paper.type("\u0003")
  await paper.ended
  expect(paper.isOpen()).toBe(false)
})

test("with nothing in the background it quits at once", async () => {
  const paper = await openOnPaper(80, 30, {})
  await slowly(paper, "/exit\r")
  await paper.ended
  expect(paper.isOpen()).toBe(false)
})

for (const [name, ...keys] of [
  ["Ctrl+C twice", "\u0003", "\u0003"],
  ["Ctrl+D", "\u0004"],
] as const)
  test(`${name} while the agent asks something: quitting is asked about first, and the question stays`, async () => {
    const paper = await openOnPaper(80, 30, running)
    paper.ask(permission)
    await paper.pass(400)
    await slowly(paper, ...keys)
    const screen = await paper.terminal.screen()
    expect(screen).toContain("▌ Quit and stop 2 background tasks?")
    expect(screen).not.toContain("Run this command?")
    await paper.type("\u001b")
    await paper.pass(100)
    expect(await paper.terminal.screen()).toContain("Run this command?")
    // Still held down: it was meant for the panel.
    await paper.type("\r")
    expect(paper.ops).toEqual([])
    await slowly(paper, "", ...keys, "1")
    await paper.ended
    expect([paper.isOpen(), paper.ops]).toEqual([false, []])
  })

test("a first Ctrl+C in a question says that the second one quits", async () => {
  const paper = await openOnPaper(80, 30, {})
  paper.ask(permission)
  await paper.pass(400)
  await slowly(paper, "\u0003")
  expect(await paper.terminal.screen()).toContain("  Ctrl+C again to quit")
  await slowly(paper, "\u0003")
  await paper.ended
  expect(paper.isOpen()).toBe(false)
})
