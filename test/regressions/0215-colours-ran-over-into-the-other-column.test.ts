/** A string that was broken in a side-by-side difference coloured the bar and the numbers beside it, and lost its colour below. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { diffRows } from "#faces/tui/parts/diff.ts"
import { code, yellow } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { hunksOf } from "#lib/diff.ts"
import { openVirtualTerminal } from "../kit/virtual-terminal.ts"

const long = `"${"some words ".repeat(9)}"`

test("each column keeps its colours, in every row of a line", async () => {
  const hunks = await hunksOf(`const a = ${long}\nlet b = 1\n`, `const a = ${long}\nlet b = 2\n`)
  const { rows } = diffRows({ path: "a.js", hunks, created: false }, 140, 40)
  const terminal = openVirtualTerminal(150, 20)
  terminal.write(rows.join("\r\n"))
  const [first = "", second = ""] = (await terminal.styled()).split("\n")
  for (const row of [first, second]) expect(row).toContain("{dim: │ ")
  for (const row of [first, second]) expect(row.match(/\{215:/g)).toHaveLength(2)
})

test("a broken row leaves nothing open, whatever its colours are", () => {
  const word = fc.tuple(fc.stringMatching(/^[a-z]{1,9}$/), fc.constantFrom(String, code, yellow))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const line = words.map(([text, style]) => style(`${text} `)).join("")
      for (const row of wrapped(line, 14)) {
        // oxlint-disable-next-line no-control-regex -- styles are control sequences.
        const codes = row.match(/\u001b\[[\d;]*m/g) ?? []
        expect(codes.at(-1) ?? "\u001b[39m").toBe("\u001b[39m")
      }
    }),
  )
})
