import { expect, test } from "bun:test"
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { openAbsence } from "#lib/absence.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const name = fc.oneof(
  fc.constantFrom(".ssh", ".SSH", ".aws", "a", "A", "b", "Library", "..", ".", "a.", "a ", "A~1", "é", "ſsh"),
  fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom("a", "b", "B", ".", "-", "~", " ", "K", "ß") }),
)

let run = 0
function folderWith(root: string, names: readonly string[]): string {
  const at = join(root, `${++run}`)
  mkdirSync(at)
  for (const each of names) if (each !== "." && each !== "..") writeFileSync(join(at, each), "")
  return at
}

test("what it calls absent is not there, and no other spelling of it", () => {
  using folder = temporaryFolder()
  fc.assert(
    fc.property(fc.array(name, { maxLength: 6 }), fc.array(name, { minLength: 1, maxLength: 30 }), (there, asked) => {
      const at = folderWith(folder.path, there)
      const isAbsent = openAbsence(() => readdirSync(at))
      for (const each of asked) {
        if (!isAbsent(each)) continue
        expect(lstatSync(join(at, each), { throwIfNoEntry: false })).toBeUndefined()
        expect(there.map((one) => one.toLowerCase())).not.toContain(each.toLowerCase())
      }
    }),
    { numRuns: 300 },
  )
})

test("after a few names it knows all that are missing, unless a name is not ASCII", () => {
  using folder = temporaryFolder()
  const asked = Array.from({ length: 20 }, (_, i) => `.secret-${i}`)
  const found = (names: readonly string[]): readonly boolean[] =>
    asked.map(openAbsence(() => readdirSync(folderWith(folder.path, names))))
  expect(found(["a"]).filter(Boolean)).toHaveLength(12)
  expect(found([".SECRET-17"])[17]).toBe(false)
  expect(found(["Téléchargements"]).filter(Boolean)).toHaveLength(0)
})

test("a folder that cannot be listed lacks nothing for sure", () => {
  const isAbsent = openAbsence(() => undefined)
  expect(Array.from({ length: 20 }, (_, i) => isAbsent(`name-${i}`))).not.toContain(true)
})
