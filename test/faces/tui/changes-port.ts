/** Changes to review, for scenes: one file with two parts, one that is new, one without lines. */

import type { ChangesPort, ReviewPart, ReviewedFile } from "#faces/tui/panels/ports.ts"
import { hunksOf, patchText } from "#lib/diff.ts"
import { failed, ok } from "#lib/result.ts"

const line = (n: number): string => `  const step${n} = next(step${n - 1})\n`
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join("")

const before = `export function total(items: Item[]): number {\n  let sum = 0\n  for (const item of items) sum += item.price\n  return sum\n}\n\n${numbered(1, 20)}\nexport const rate = 0.1\n`
const after = before
  .replace("sum += item.price\n  return sum", "sum += item.price * item.count\n  return round(sum)")
  .replace("rate = 0.1", "rate = 0.2 // from the contract")

export function changesPort(): ChangesPort {
  const states = new Map<string, ReviewPart["state"]>()
  const stateOf = (id: string): ReviewPart["state"] => states.get(id) ?? "new"

  async function files(): Promise<readonly ReviewedFile[]> {
    const hunks = await hunksOf(before, after)
    const created = await hunksOf("", "# Prices\n\nAll prices are without tax.\n")
    return [
      {
        path: "logo.png",
        change: "modified",
        added: 0,
        removed: 0,
        binary: true,
        patch: "",
        hunks: [{ id: "logo", state: stateOf("logo"), hunk: null }],
      },
      {
        path: "notes/prices.md",
        change: "created",
        added: 3,
        removed: 0,
        binary: false,
        patch: `diff --git a/notes/prices.md b/notes/prices.md\nnew file mode 100644\n--- /dev/null\n+++ b/notes/prices.md\n${patchText(created)}\n`,
        hunks: [{ id: "notes", state: stateOf("notes"), hunk: null }],
      },
      {
        path: "src/price.ts",
        change: "modified",
        added: 3,
        removed: 3,
        binary: false,
        patch: "",
        hunks: hunks.map((hunk, i) => ({ id: `price ${i}`, state: stateOf(`price ${i}`), hunk })),
      },
    ]
  }

  return {
    points: async () => ok([{ promptId: "p1", text: "fix the prices" }]),
    async review(scope) {
      const all = await files()
      if (scope === "session") return ok({ files: all })
      return ok({ prompt: "fix the prices", files: all.filter(({ path }) => path.startsWith("src/")) })
    },
    async act({ act, hunks }) {
      if (hunks.includes("notes")) return failed("Not undone: notes/prices.md (edited since). Nothing was changed.")
      for (const id of hunks) states.set(id, act === "keep" ? "kept" : act === "undo" ? "undone" : "new")
      return ok("")
    },
  }
}
