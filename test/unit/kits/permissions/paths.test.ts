/** Paths in all their forms. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { formsWith, isInside, namesBelow } from "#kits/permissions/paths.ts"

test("a path is inside if each of its forms is in some form of a folder, however these are written", () => {
  const path = fc
    .array(fc.constantFrom("a", "b", "ab", "..", ".", ""), { maxLength: 4 })
    .map((names) => `/${names.join("/")}`)
  const links = fc.array(fc.tuple(path, path), { maxLength: 4 })
  fc.assert(
    fc.property(path, fc.array(path, { maxLength: 3 }), links, (asked, folders, pairs) => {
      const leads = new Map(pairs)
      const forms = formsWith((one) => leads.get(one) ?? one)
      const all = folders.flatMap(forms)
      const inOne = (form: string): boolean => all.some((folder) => namesBelow(folder, form) !== undefined)
      expect(isInside(asked, folders, forms)).toBe(forms(asked).every(inOne))
    }),
    { numRuns: 2000 },
  )
})

test("no folder is followed for a path that is in one as it is written", () => {
  const followed: string[] = []
  const forms = formsWith((path) => {
    followed.push(path)
    return path
  })
  expect(isInside("/repo/src/a.ts", ["/elsewhere", "/repo/"], forms)).toBe(true)
  expect(followed).toEqual(["/repo/src/a.ts"])
})
