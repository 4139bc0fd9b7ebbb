/** What each kind of block and dialog looks like, at three widths. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { expectGolden } from "../../kit/golden.ts"
import { openOnPaper } from "./on-paper.ts"
import { scenes } from "./scenes.ts"

for (const [name, play] of Object.entries(scenes))
  for (const columns of [60, 100, 160])
    test(`${name}, ${columns} columns`, async () => {
      const paper = await openOnPaper(columns)
      await play(paper)
      await paper.pass(0)
      const shown = await paper.terminal.all()
      for (const row of shown.split("\n")) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns)
      expect(paper.terminal.cost().clears).toBe(0)
      const { row, column } = await paper.terminal.cursor()
      const file = `${name.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}-${columns}.txt`
      await expectGolden(join(import.meta.dir, "goldens", file), `${shown}\n\n[cursor ${row}, ${column}]\n`)
    })
