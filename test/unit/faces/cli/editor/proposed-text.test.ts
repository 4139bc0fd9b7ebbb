/** A call whose text somebody edited becomes a call that writes exactly that text. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { inputWriting, isSameText, proposedText, replacing } from "#faces/cli/editor/proposed-text.ts"
import { runs } from "../../../../kit/runs.ts"

/** Few different lines, so that many repeat. */
const text = fc
  .tuple(fc.array(fc.constantFrom("a", "b", "", "  a", "ab"), { maxLength: 12 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""))

test("the call writes what was edited, with each tool and each kind of line end", () => {
  fc.assert(
    fc.property(
      text,
      text,
      fc.boolean(),
      fc.constantFrom("Edit", "MultiEdit", "Write"),
      (old, edited, isCrlf, tool) => {
        const before = isCrlf ? old.replaceAll("\n", "\r\n") : old
        const input = { file_path: "a.ts", old_string: "x", new_string: "y", edits: [], content: "z" }
        const changed = inputWriting(tool, input, before, edited)
        if (changed === "unchanged") return
        if (changed === undefined)
          throw new Error(`no call turns ${JSON.stringify(before)} into ${JSON.stringify(edited)}`)
        const written = proposedText(tool, changed, before)
        expect(written === edited || written === edited.replaceAll("\n", "\r\n")).toBe(true)
      },
    ),
    runs(300),
  )
})

test("the replacement is no larger than it must be", () => {
  expect(replacing("a\nb\nc\nd\n", "a\nb\nC\nd\n")).toEqual({ old_string: "c\n", new_string: "C\n" })
  // The changed line alone would be found twice.
  expect(replacing("a\nb\na\n", "a\nb\nx\n")).toEqual({ old_string: "b\na\n", new_string: "b\nx\n" })
})

test("a last line end and carriage returns are the editor's, not the user's", () => {
  expect(isSameText("a\r\nb", "a\nb\n")).toBe(true)
  expect(isSameText("a\n\n", "a\n")).toBe(false)
})

test("other tools, and edits of several files, have no proposed text", () => {
  expect(proposedText("Bash", { command: "x" }, "")).toBeUndefined()
  const edits = [
    { file_path: "a", old_string: "", new_string: "x" },
    { file_path: "b", old_string: "", new_string: "x" },
  ]
  expect(proposedText("MultiEdit", { edits }, "")).toBeUndefined()
  expect(proposedText("Edit", { file_path: "a", old_string: "no", new_string: "x" }, "text")).toBeUndefined()
})
