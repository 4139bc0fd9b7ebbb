/** Path patterns: gitignore's meaning, name by name; git itself is asked where it has an opinion. */

import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { matchPath, type PathMatch, type PathPattern, parsePathPattern } from "#kits/permissions/rules/path-pattern.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

function pattern(content: string): PathPattern {
  const parsed = parsePathPattern(content)
  if (!parsed.ok) throw new Error(parsed.failure)
  return parsed.value
}

const match = (content: string, path: string): PathMatch =>
  matchPath(
    pattern(content),
    path.split("/").filter((name) => name !== ""),
    { leaf: "file" },
  )

describe("names below the anchor", () => {
  const table: readonly [content: string, path: string, match: PathMatch][] = [
    ["a.ts", "a.ts", "whole"],
    ["a.ts", "src/a.ts", "whole"],
    ["a.ts", "src/b.ts", "no"],
    ["./a.ts", "src/a.ts", "no"],
    ["./a.ts", "a.ts", "whole"],
    ["/a.ts", "src/a.ts", "no"],
    ["src", "src/x/y.ts", "whole"],
    ["src", "src2/y.ts", "no"],
    ["src/", "src", "no"],
    ["src/", "src/x", "whole"],
    ["src/**", "src", "below"],
    ["src/**", "src/x/y", "whole"],
    ["src/**", "lib/src/x", "no"],
    ["src/*", "src/x/y", "whole"],
    ["src/*.ts", "src/x/y.ts", "no"],
    ["**/x.ts", "x.ts", "whole"],
    ["**/x.ts", "a/b/x.ts", "whole"],
    ["a/***/x.ts", "a/b/c/x.ts", "whole"],
    ["a/**/b", "a/b", "whole"],
    ["a/**/b", "a/x/y/b", "whole"],
    ["a/**/b", "a/x/y/c", "no"],
    ["*.env", ".env", "whole"],
    [".env*", ".env.local", "whole"],
    ["?.ts", "ab.ts", "no"],
    ["[ab].ts", "b.ts", "whole"],
    ["[!ab].ts", "b.ts", "no"],
    ["[a-c]x", "bx", "whole"],
    ["[]x]", "]", "whole"],
    ["[a-]", "-", "whole"],
    ["\\*.ts", "*.ts", "whole"],
    ["\\*.ts", "a.ts", "no"],
    ["app/\\[id\\]/page.tsx", "app/[id]/page.tsx", "whole"],
    ["**", "a", "whole"],
    ["**", "", "below"],
    [".", "a/b", "whole"],
    ["~/", "a", "whole"],
    ["//etc/passwd", "etc/passwd", "whole"],
    ["a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "no"],
    ["日本*", "日本語", "whole"],
    ["?", "😀", "whole"],
  ]
  test.each(table)("%j and %j: %s", (content, path, expected) => expect(match(content, path)).toBe(expected))
})

test("anchors and ways up", () => {
  const shape = ({ anchor, up }: PathPattern): unknown => ({ anchor, up })
  expect(shape(pattern("//etc"))).toEqual({ anchor: "root", up: 0 })
  expect(shape(pattern("~/x"))).toEqual({ anchor: "home", up: 0 })
  expect(shape(pattern("/x"))).toEqual({ anchor: "base", up: 0 })
  expect(shape(pattern("../../x"))).toEqual({ anchor: "cwd", up: 2 })
  expect(shape(pattern("./x"))).toEqual({ anchor: "cwd", up: 0 })
})

test.each(["!a", "~bob/x", "a/../b", "//../x", "[ab", "a\\", "[[:alpha:]]", "a\0b"])("%j is not a pattern", (content) =>
  expect(parsePathPattern(content).ok).toBe(false),
)

test("git agrees on what a pattern ignores", () => {
  const repository = lastingFolder()
  Bun.spawnSync(["git", "init", "-q", repository])
  const name = fc.string({ unit: fc.constantFrom(..."ab"), minLength: 1, maxLength: 2 })
  const piece = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "[ab]", "[!a]"), minLength: 1, maxLength: 3 })
  const step = fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: fc.constant("**") })
  const cases = fc.sample(
    fc.tuple(
      fc.array(step, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      fc.array(name, { minLength: 1, maxLength: 4 }),
    ),
    {
      numRuns: 60,
      seed: 7,
    },
  )
  for (const [steps, rooted, names] of cases) {
    const content = `${rooted ? "/" : ""}${steps.join("/")}`
    writeFileSync(join(repository, ".gitignore"), `${content}\n`)
    const path = names.join("/")
    const { exitCode } = Bun.spawnSync(["git", "-C", repository, "check-ignore", "--no-index", "-q", path])
    expect({ content, path, ignored: match(content, path) === "whole" }).toEqual({
      content,
      path,
      ignored: exitCode === 0,
    })
  }
})
