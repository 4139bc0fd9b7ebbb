/** `> /gates git on` stood in the transcript with nothing below it: whether the gate was on could only be asked. */

import { expect, test } from "bun:test"
import { openOnPaper } from "../faces/tui/on-paper.ts"

test("a gate that is switched with words is said", async () => {
  const paper = await openOnPaper(100)
  await paper.type("/gates git on\r")
  await paper.pass(100)
  expect(paper.ops).toEqual([{ type: "set_gate", gate: "git", on: true }])
  expect(await paper.terminal.all()).toContain("· The git gate is on for this session.")
})
