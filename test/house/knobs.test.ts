/** What the tests read from the environment reaches them: `npm test` gives them none of this machine's variables. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { readTree } from "./walls/source.ts"

const root = resolve(import.meta.dir, "../..")

test("every variable that a test reads is in scripts/knobs.mjs", async () => {
  const listed = await Bun.file(`${root}/scripts/knobs.mjs`).text()
  const names = (await readTree(root, ["test"])).flatMap(({ text, code }) =>
    [...text.matchAll(/process\.env(?:\.|\[")(CODEWRIGHT_\w+)/g)]
      // A program in a string reads its own environment.
      .filter(({ index }) => code.startsWith("process", index))
      .map(([, name = ""]) => name),
  )
  expect(new Set(names).size).toBeGreaterThan(10)
  expect(names.filter((name) => !listed.includes(`  ${name}:`))).toEqual([])
})
