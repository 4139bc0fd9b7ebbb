/** The benchmark of agents: the model that knows only the conversation, what is counted, and the table. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { budget } from "../../../bench/field/axes/budget.ts"
import { kill } from "../../../bench/field/axes/kill.ts"
import { countEffects, nextEffect } from "../../../bench/field/effects.ts"
import { codewright } from "../../../bench/field/peers/codewright.ts"
import { codex } from "../../../bench/field/peers/codex.ts"
import { gridOf, markdown, picture, type ResultLine } from "../../../bench/field/table.ts"
import { decodeRequest } from "#sim/request.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const told = (...commands: readonly string[]) =>
  decodeRequest({
    messages: commands.map((command, i) => ({
      role: "assistant",
      content: [{ type: "tool_use", id: `${i}`, name: "Bash", input: { command } }],
    })),
  })

test("the model asks for what the conversation does not tell of, also a second time", () => {
  const next = nextEffect(codewright)
  const commandOf = (...commands: readonly string[]): string => JSON.stringify(next(told(...commands)).content)
  expect(commandOf()).toContain("echo one")
  expect(commandOf("echo one >> effects.txt")).toContain("echo two")
  expect(commandOf("echo two >> effects.txt")).toContain("echo one")
  const all = ["one", "two", "three"].map((word) => `echo ${word} >> effects.txt`)
  expect(next(told(...all)).content).toBe("Done.")
})

test("effects are counted where they happened", () => {
  using folder = temporaryFolder()
  expect(countEffects(folder.path)).toEqual({ repeated: 0, lost: 3 })
  writeFileSync(folder.join("effects.txt"), "one\none\none\nthree\n")
  expect(countEffects(folder.path)).toEqual({ repeated: 2, lost: 1 })
})

test("the table has each agent's figures, says what one lacks and what was not run", () => {
  const line = (axis: string, peer: string, sample: ResultLine["samples"][number]): ResultLine => ({
    axis,
    peer,
    version: "1",
    round: 0,
    at: "",
    hasNetwork: false,
    samples: [sample],
  })
  const lines = [
    line("budget", "codewright", { spent: 0.3 }),
    line("budget", "codex", { missing: "no such setting" }),
    line("kill", "codewright", { repeated: 0, lost: 1, resumed: 1 }),
  ]
  const grid = gridOf(lines, [kill, budget], [codewright, codex])
  expect(grid.rows).toEqual([
    ["kill -9 and resume: effects repeated, lost", "0, 1 of 3", "not run"],
    ["resumed to the end after the kill", "1 of 1", "not run"],
    ["spent of a budget of $0.50", "$0.30", "no such setting"],
  ])
  const about = { date: "2026-11-18", machine: "a <machine>", hasNetwork: false, steps: 20, note: "" }
  expect(markdown(grid, about)).toContain("| spent of a budget of $0.50 | $0.30 | no such setting |")
  expect(markdown(grid, about)).toContain("There was no network but loopback.")
  expect(markdown(grid, { ...about, hasNetwork: true })).toContain("The network was not closed.")
  expect(picture(grid, about)).toContain("a &lt;machine&gt;")
})
