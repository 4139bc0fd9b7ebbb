/** "… 735 more lines" stood for 2,992: the count was of what the model gets, and so were the words in the pager. */

import { expect, test } from "bun:test"
import { displayRows } from "#faces/tui/parts/display.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

test("lines that only the file has are counted, and people are told where it is", async () => {
  await using t = await openTestSession({ script: [calls(bash("seq 1 30000")), says("Done.")] })
  await t.prompt("count")
  const display = t
    .entries()
    .flatMap((entry) => (entry.kind === "result" && entry.display?.kind === "terminal" ? [entry.display] : []))[0]
  if (!display) throw new Error("No result.")
  const folded = displayRows(display, 80, "folded").map(Bun.stripANSI)
  expect(folded).toContain("… 29,992 more lines (Ctrl+O to view)")
  const full = displayRows(display, 200, "full").map(Bun.stripANSI).join("\n")
  expect(full).toMatch(/\[[\d,]+ lines left out; all of it is in \S+\]/)
  expect(full).not.toContain("Read or Grep")
})
