/** `> /model` stood in the transcript with nothing below it, whether a model was chosen or not. */

import { expect, test } from "bun:test"
import { openOnPaper } from "../faces/tui/on-paper.ts"
import { ports } from "../faces/tui/panel-scenes.ts"

const [enter, escape, down] = ["\r", "\u001b", "\u001b[B"]

async function said(...keys: readonly string[]): Promise<string> {
  const paper = await openOnPaper(100, 40, { panels: { ...ports, modes: { bypassAvailable: false } } })
  for (const key of keys) {
    await paper.type(key)
    await paper.pass(400)
  }
  return paper.terminal.all()
}

test("a panel that is closed leaves nothing", async () => {
  for (const command of ["/model", "/effort", "/mode"])
    expect(await said(command, enter, escape)).not.toContain(command)
})

test("what was chosen is said, in a panel or after the command", async () => {
  expect(await said("/model", enter, down, enter)).toContain("· Model: claude-haiku-5-5")
  const typed = await said("/mode plan", enter)
  expect(typed).toContain("> /mode plan")
  expect(typed).toContain("· Mode: plan")
})
