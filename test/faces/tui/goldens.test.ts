/** What each kind of block and dialog looks like, at three widths; and the colours of those that live by them. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { expectGolden } from "../../kit/golden.ts"
import { aroundPromptScenes } from "./around-prompt-scenes.ts"
import { blockScenes } from "./block-scenes.ts"
import { dialogScenes } from "./dialog-scenes.ts"
import { openOnPaper, untilLoaded } from "./on-paper.ts"
import { panelScenes } from "./panel-scenes.ts"
import { scenes } from "./scenes.ts"

const goldenOf = (name: string, suffix: string | number): string =>
  join(import.meta.dir, "goldens", `${name.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}-${suffix}.txt`)

for (const [name, play] of Object.entries({ ...scenes, ...blockScenes, ...dialogScenes }))
  for (const columns of [60, 100, 160])
    test(`${name}, ${columns} columns`, async () => {
      const paper = await openOnPaper(columns)
      await play(paper)
      await untilLoaded(paper)
      const shown = await paper.terminal.all()
      for (const row of shown.split("\n")) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns)
      expect(paper.terminal.cost().clears).toBe(0)
      const { row, column } = await paper.terminal.cursor()
      await expectGolden(goldenOf(name, columns), `${shown}\n\n[cursor ${row}, ${column}]\n`)
    })

for (const theme of ["dark", "light", "none"] as const)
  test(`prompts to try, its colours with the theme ${theme}`, async () => {
    const scene = aroundPromptScenes["prompts to try"]
    const paper = await openOnPaper(140, 40, { ...scene?.options, theme })
    await scene?.play(paper)
    await untilLoaded(paper)
    await expectGolden(goldenOf("prompts to try", `colours-${theme}`), `${await paper.terminal.styled()}\n`)
  })

for (const [name, theme] of [
  ["an answer in Markdown", "ansi"],
  ["code while it comes", "ansi"],
  ["a difference", "ansi"],
  ["a difference", "light"],
  ["a difference", "none"],
  ["calls in every state", "ansi"],
  ["a permission question", "ansi"],
  ["a permission question with a difference", "ansi"],
  ["a permission question with an alarm", "ansi"],
  ["panel of models", "ansi"],
  ["panel of changes, one part", "ansi"],
] as const)
  test(`${name}, its colours with the theme ${theme}`, async () => {
    const play = { ...scenes, ...blockScenes }[name] ?? panelScenes[name]?.play
    const paper = await openOnPaper(80, 40, { ...panelScenes[name]?.options, theme })
    await play?.(paper)
    await untilLoaded(paper)
    await expectGolden(goldenOf(name, `colours-${theme}`), `${await paper.terminal.styled()}\n`)
  })
