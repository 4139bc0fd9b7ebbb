import { expect, test } from "bun:test"
import { globFilter, nameGlobs, namesDotfiles, splitGlobs, splitPattern } from "#ground/workspace/search/glob.ts"

test("a pattern is parted into the folder it surely lies in and the rest", () => {
  const parts = (pattern: string) => {
    const { folder, rest } = splitPattern(pattern)
    return [folder, rest]
  }
  expect(parts("src/app/**/*.ts")).toEqual(["src/app", "**/*.ts"])
  expect(parts("*.ts")).toEqual(["", "*.ts"])
  expect(parts("src/a.ts")).toEqual(["src", "a.ts"])
  expect(parts("/etc/*.conf")).toEqual(["/etc", "*.conf"])
  expect(parts("/*")).toEqual(["/", "*"])
  expect(parts("../other/{a,b}/x")).toEqual(["../other", "{a,b}/x"])
  expect(parts("src/")).toEqual(["src", "**"])
  expect(parts("app/\\[id\\]/page.tsx")).toEqual(["app", "\\[id\\]/page.tsx"])
})

test("patterns that name dotfiles are told", () => {
  for (const pattern of [".env", "**/.env*", ".*", "a/{.b,c}", "!.x", "src/.hidden/**"])
    expect(namesDotfiles(pattern)).toBe(true)
  for (const pattern of ["*.ts", "./a", "../b/*.c", "a.b/c", "..", "**/*.{js,ts}"])
    expect(namesDotfiles(pattern)).toBe(false)
})

test("several globs in one field", () => {
  expect(splitGlobs("*.ts, *.{js,jsx} !*.test.ts")).toEqual(["*.ts", "*.{js,jsx}", "!*.test.ts"])
  expect(splitGlobs("")).toEqual([])
})

test("globs narrow by name where they can", () => {
  expect(nameGlobs(["src/**/*.ts", "*.{js,jsx}", "!x"])).toEqual(["*.ts", "*.{js,jsx}"])
  expect(nameGlobs(["src/**"])).toEqual([])
  expect(nameGlobs(["{a/b,c}"])).toEqual([])
})

test("globs without a slash are about names, others about paths from a folder", () => {
  const isWanted = globFilter(["*.ts", "docs/**/*.md"], ["/p/docs", "/p"])
  expect(isWanted("/p/a/b/c.ts")).toBe(true)
  expect(isWanted("/p/docs/x/y.md")).toBe(true)
  expect(isWanted("/p/other/y.md")).toBe(false)
  expect(globFilter(["!x"], ["/p"])("/p/anything")).toBe(true)
})
