/** The table of mutants fits the source: a rename that is not followed there would leave it aiming at nothing. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { everyMutant, mutated, testsOf } from "../../scripts/mutants/all.ts"

const root = resolve(import.meta.dir, "../..")

test("every mutant changes one place of the source", () => {
  for (const each of everyMutant) {
    const path = join(root, "src", each.file)
    const source = existsSync(path) ? readFileSync(path, "utf8") : ""
    expect(mutated(each, source)).not.toBe(source)
  }
})

test("the tests that must notice it exist", () => {
  expect(everyMutant.flatMap(testsOf).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test("no two have one name", () => {
  const ids = everyMutant.map(({ id }) => id)
  expect(ids.filter((id, nth) => ids.indexOf(id) !== nth)).toEqual([])
})
