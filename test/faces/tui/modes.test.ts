/** Permission modes in the terminal: the key that goes through them, the panel, and the warning about bypass. */

import { expect, test } from "bun:test"
import type { PermissionMode } from "#agent/words/permission.ts"
import { openOnPaper, type OnPaper } from "./on-paper.ts"

const shiftTab = "\u001b[Z"
const enter = "\r"
const modes = ({ ops }: OnPaper): PermissionMode[] => ops.flatMap((op) => (op.type === "set_mode" ? [op.mode] : []))

test("Shift+Tab goes through what the session allows, and comes back to bypass", async () => {
  const modeCycle = ["default", "acceptEdits", "plan", "bypassPermissions"] as const
  const paper = await openOnPaper(100, 40, { mode: "bypassPermissions", about: { modeCycle, bypassAvailable: true } })
  const screen = await paper.terminal.screen()
  expect(screen).toContain("▲ Permission checks are off (bypass): commands and edits run without asking.")
  for (let i = 0; i < 4; i++) await paper.type(shiftTab)
  expect(modes(paper)).toEqual(["default", "acceptEdits", "plan", "bypassPermissions"])
  expect(await paper.terminal.screen()).toContain("bypass · claude-sonnet-5")
})

test("delegate is part of the cycle while there is a team, before everything that asks less", async () => {
  const paper = await openOnPaper(100, 40, {
    answers: { team: () => ({ name: "crew", lead: "lead", members: [], tasks: [], mail: [] }) },
  })
  paper.moment({ type: "team_change" })
  await paper.pass(100)
  for (let i = 0; i < 4; i++) await paper.type(shiftTab)
  expect(modes(paper)).toEqual(["delegate", "acceptEdits", "plan", "default"])
})

test("/mode Enter opens the list of modes, by the names of the status line", async () => {
  const paper = await openOnPaper(100, 40, {
    panels: { modes: { bypassAvailable: false }, models: { list: async () => [] } },
  })
  await paper.type(`/mode${enter}`)
  await paper.pass(400)
  const screen = await paper.terminal.screen()
  expect(screen).toContain("Permission mode")
  for (const name of ["ask", "accept edits", "plan", "delegate", "deny unless allowed", "auto", "bypass"])
    expect(screen).toMatch(new RegExp(`^▌ .*${name} +\\S`, "m"))
  await paper.type("\u001b[A")
  await paper.type(enter)
  await paper.pass(10)
  expect(await paper.terminal.screen()).toContain("Not available: start with --allow-dangerously-skip-permissions.")
  await paper.pass(400)
  for (let i = 0; i < 5; i++) await paper.type("\u001b[A")
  await paper.type(enter)
  await paper.pass(10)
  expect(modes(paper)).toEqual(["acceptEdits"])
})

test("/keys names each key once: Ctrl+B and Ctrl+T with both of their meanings", async () => {
  const paper = await openOnPaper(120, 80)
  await paper.type(`/keys ${enter}`)
  const all = await paper.terminal.all()
  expect(all.match(/Ctrl\+B\b/g)).toHaveLength(1)
  expect(all.match(/Ctrl\+T\b/g)).toHaveLength(1)
  expect(all).toMatch(/Ctrl\+B +Move the running command to the background; otherwise one character left/)
  expect(all).toMatch(/Ctrl\+T +Show or hide the task list; without one, swap two characters/)
})

test("Ctrl+T swaps two characters where there is no task list", async () => {
  const paper = await openOnPaper(80)
  await paper.type("teh\u0014")
  expect(await paper.terminal.screen()).toContain("> the")
})
