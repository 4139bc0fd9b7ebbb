/** What each panel, and each newer dialog, looks like at three widths. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { expectGolden } from "../../kit/golden.ts"
import { openTurns } from "../../kit/turns.ts"
import { aroundPromptScenes } from "./around-prompt-scenes.ts"
import { extensionScenes } from "./extension-scenes.ts"
import { openOnPaper, untilLoaded } from "./on-paper.ts"
import { panelScenes } from "./panel-scenes.ts"
import { runningScenes } from "./running-scenes.ts"
import { teamScenes } from "./team-scenes.ts"

/** By day each scene is in one of them. */
const turn = openTurns()
const sizes = [
  [40, 12],
  [41, 24],
  [300, 60],
] as const

for (const [name, { play, options }] of Object.entries({
  ...panelScenes,
  ...extensionScenes,
  ...runningScenes,
  ...teamScenes,
  ...aroundPromptScenes,
})) {
  for (const columns of name in teamScenes ? [60, 80, 100, 160] : [60, 100, 160])
    test(`${name}, ${columns} columns`, async () => {
      const paper = await openOnPaper(columns, 40, options)
      await play(paper)
      await untilLoaded(paper)
      const shown = await paper.terminal.all()
      for (const row of shown.split("\n")) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns)
      expect(paper.terminal.cost().clears).toBe(0)
      const file = `${name.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}-${columns}.txt`
      await expectGolden(join(import.meta.dir, "goldens", file), `${shown}\n`)
    })

  const itsSizes = turn(sizes)
  test(`${name} fits into any terminal, and into a new size`, async () => {
    for (const [columns, rows] of itsSizes) {
      const paper = await openOnPaper(columns, rows, options)
      await play(paper)
      await untilLoaded(paper)
      await paper.resize(columns + 13, rows + 2)
      await paper.resize(columns, rows)
      const { row } = await paper.terminal.cursor()
      expect(row).toBeLessThan(rows)
      for (const line of (await paper.terminal.all()).split("\n"))
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns)
    }
  })
}
