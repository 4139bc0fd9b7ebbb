/** Pages of a search are parts of the same whole, however they are searched for. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { comparePaths } from "#ground/workspace/search/line-search.ts"
import { runs } from "../../../kit/runs.ts"
import { openTools } from "./open-tools.ts"

const names = ["a", "a-b", "a.b", "a/b", "a/c/d", "a-b/c", "B", "é/x", "z/\u{10000}", "z/\uffee", "c d/e"]

test("pages of any length, one after the other, are all lines in the order of paths", async () => {
  await using t = openTools()
  const content = Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? "hay" : `needle ${i}`)).join("\n")
  for (const name of names) t.put(`${name}.txt`, content)
  const grep = async (input: { readonly [name: string]: number }): Promise<readonly string[]> => {
    const said = await t.say("Grep", { pattern: "needle", output_mode: "content", ...input })
    return said.split("\n").filter((line) => !line.startsWith("["))
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 120 }), fc.nat(1), async (head_limit, around) => {
      const all = await grep({ head_limit: 10_000, "-C": around })
      const pages: string[] = []
      while (pages.length < all.length) pages.push(...(await grep({ head_limit, offset: pages.length, "-C": around })))
      expect(pages).toEqual([...all])
    }),
    {
      ...runs(4),
      examples: [
        [40, 0],
        [3, 1],
      ],
    },
  )
})

test("paths are in ripgrep's order", async () => {
  await using t = openTools()
  for (const name of names) t.put(`${name}.txt`, "x")
  const { rgPath } = await import("@vscode/ripgrep")
  const { stdout } = Bun.spawnSync([rgPath, "--files", "--sort=path", t.root])
  const sorted = stdout.toString().trim().split("\n")
  expect(sorted).toHaveLength(names.length)
  expect(sorted.toSorted(comparePaths)).toEqual(sorted)
})
