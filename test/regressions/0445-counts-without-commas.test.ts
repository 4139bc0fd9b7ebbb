/** Counts of thousands of files, lines and tokens had no comma between the thousands. */

import { expect, test } from "bun:test"
import { counted, wholeNumber } from "#lib/figures.ts"

test("thousands are told apart, and small counts stay as they are", () => {
  expect([0, 1, 999, 1_000, 29_992, 1_234_567].map(wholeNumber)).toEqual([
    "0",
    "1",
    "999",
    "1,000",
    "29,992",
    "1,234,567",
  ])
  expect([counted(1, "file"), counted(12_000, "file")]).toEqual(["1 file", "12,000 files"])
})
