/** A rule is added to a file, or taken out, and everything else in it stays. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { parseJsonc } from "#ground/settings/jsonc.ts"
import { removeRule, rulePlace, saveRule } from "#ground/settings/save.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

const folder = lastingFolder

function after(text: string | undefined, change: (file: string) => unknown): string {
  const file = join(folder(), "settings.json")
  if (text !== undefined) writeFileSync(file, text)
  change(file)
  return readFileSync(file, "utf8")
}

const add =
  (rule: string, behavior: "allow" | "ask" | "deny" = "allow") =>
  (file: string) =>
    expect(saveRule({ file, behavior, rule })).toEqual({ ok: true, value: "saved" })
const remove = (rule: string) => (file: string) =>
  expect(removeRule({ file, behavior: "allow", rule })).toEqual({ ok: true, value: "removed" })

test("local settings stay out of git; a list that is there already counts", () => {
  const root = folder()
  Bun.spawnSync(["git", "init", "-q", root])
  const { file } = rulePlace("local settings", { root, state: folder(), home: folder() })
  const seen = (): string => Bun.spawnSync(["git", "-C", root, "status", "--porcelain", "-uall"]).stdout.toString()
  add("X")(file)
  expect(seen()).toBe("")
  writeFileSync(join(root, ".codewright/.gitignore"), "other\n")
  add("Y")(file)
  expect(seen()).toContain(".codewright/settings.local.json")
})

describe("adding", () => {
  const table: readonly (readonly [name: string, before: string | undefined, after: string])[] = [
    ["no file", undefined, '{\n  "permissions": { "allow": ["X"] }\n}\n'],
    ["an empty file", "  ", '{\n  "permissions": { "allow": ["X"] }\n}\n'],
    ["an empty object", "{}", '{\n  "permissions": { "allow": ["X"] }\n}'],
    ["a comment alone", "{\n  // mine\n}\n", '{\n  // mine\n  "permissions": { "allow": ["X"] }\n}\n'],
    ["another key", '{\n\t"model": "m"\n}\n', '{\n\t"model": "m",\n\t"permissions": { "allow": ["X"] }\n}\n'],
    ["on one line", '{"permissions":{"allow":["A"]}}', '{"permissions":{"allow":["A", "X"]}}'],
    ["an empty list", '{"permissions":{"allow":[]}}', '{"permissions":{"allow":["X"]}}'],
    ["another list", '{ "permissions": { "deny": ["A"] } }', '{ "permissions": { "deny": ["A"], "allow": ["X"] } }'],
    [
      "lines, comments and a last comma",
      '// top\n{\n  "permissions": {\n    "allow": [\n      "A", // why\n      /* x */ "B",\n    ],\n  },\n}\n',
      '// top\n{\n  "permissions": {\n    "allow": [\n      "A", // why\n      /* x */ "B",\n      "X"\n    ],\n  },\n}\n',
    ],
  ]
  test.each(table)("%s", (_name, before, expected) => {
    const text = after(before, add("X"))
    expect(parseJsonc(text)).toMatchObject({ ok: true })
    // A comment before an element does not change how far it stands in.
    expect(text.replace(/\n {6,}"X"/, '\n      "X"')).toBe(expected)
  })

  test("twice is once", () => {
    const file = join(folder(), "settings.json")
    add("A")(file)
    expect(saveRule({ file, behavior: "allow", rule: "A" })).toEqual({ ok: true, value: "there" })
    add("A", "deny")(file)
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { allow: ["A"], deny: ["A"] } })
  })

  test.each(["{", "[]", '{"permissions": 1}', '{"permissions": {"allow": "A"}}', '{"a":1,"a":2}'])(
    "a file that is no settings is left alone: %s",
    (text) => {
      const file = join(folder(), "settings.json")
      writeFileSync(file, text)
      expect(saveRule({ file, behavior: "allow", rule: "X" }).ok).toBe(false)
      expect(readFileSync(file, "utf8")).toBe(text)
    },
  )

  test("the folder is made, the mode is kept, a link stays a link, and nothing is left beside it", () => {
    const top = folder()
    const { file } = rulePlace("local settings", { root: top, state: "/unused", home: "/unused" })
    add("A")(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(top, ".codewright")).toSorted()).toEqual([".gitignore", "settings.local.json"])
    mkdirSync(join(top, "state"))
    writeFileSync(join(top, "dotfile.json"), "{}", { mode: 0o644 })
    const { file: linked } = rulePlace("user settings", { root: top, state: join(top, "state"), home: top })
    symlinkSync(join(top, "dotfile.json"), linked)
    add("A")(linked)
    expect(readFileSync(join(top, "dotfile.json"), "utf8")).toContain('"A"')
    expect(statSync(join(top, "dotfile.json")).mode & 0o777).toBe(0o644)
  })
})

describe("a project's file", () => {
  const place = (root: string) =>
    rulePlace("local settings", { root, state: join(root, "../state"), home: join(root, "../home") })

  test.each([
    ["a link to the person's own settings", "settings.local.json"],
    ["a folder that is a link", ".codewright"],
  ])("is not written through %s", (_name, which) => {
    const top = folder()
    const root = join(top, "project")
    const mine = join(top, "mine")
    mkdirSync(root)
    mkdirSync(mine)
    writeFileSync(join(mine, "settings.local.json"), "{}")
    if (which === ".codewright") symlinkSync(mine, join(root, ".codewright"))
    else {
      mkdirSync(join(root, ".codewright"))
      symlinkSync(join(mine, "settings.local.json"), join(root, ".codewright", which))
    }
    const saved = saveRule({ ...place(root), behavior: "allow", rule: "Bash" })
    expect(saved).toMatchObject({ ok: false, failure: expect.stringContaining("is a link") })
    expect(readFileSync(join(mine, "settings.local.json"), "utf8")).toBe("{}")
    expect(readdirSync(mine)).toEqual(["settings.local.json"])
  })

  test.each(["pipe", "folder"])("that is a %s is left alone", (kind) => {
    const root = folder()
    mkdirSync(join(root, ".codewright"))
    const { file } = place(root)
    if (kind === "pipe") Bun.spawnSync(["mkfifo", file])
    else mkdirSync(file)
    expect(saveRule({ ...place(root), behavior: "allow", rule: "Bash" })).toMatchObject({
      ok: false,
      failure: expect.stringContaining("is not a plain file"),
    })
  })
})

describe("removing", () => {
  const table: readonly (readonly [before: string, after: string])[] = [
    ['{"permissions":{"allow":["X"]}}', '{"permissions":{"allow":[]}}'],
    ['{"permissions":{"allow":["X", "B"]}}', '{"permissions":{"allow":["B"]}}'],
    ['{"permissions":{"allow":["A", "X"]}}', '{"permissions":{"allow":["A"]}}'],
    ['{"permissions":{"allow":["A", "X",]}}', '{"permissions":{"allow":["A"]}}'],
  ]
  test.each(table)("%s", (before, expected) => expect(after(before, remove("X"))).toBe(expected))
})

test("whatever is added and removed in whatever order, the lists are what they should be", () => {
  const rule = fc.constantFrom("Bash(a:*)", 'Bash("x, ]")', "Read(//a/**)", "Edit")
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), rule), { maxLength: 12 }), (steps) => {
      const file = join(folder(), "settings.json")
      writeFileSync(file, '{ // mine\n  "model": "m", /* [ */\n}\n')
      let expected: readonly string[] = []
      for (const [isAdd, each] of steps) {
        if (isAdd) saveRule({ file, behavior: "allow", rule: each })
        else removeRule({ file, behavior: "allow", rule: each })
        expected = isAdd ? [...new Set([...expected, each])] : expected.filter((one) => one !== each)
      }
      const parsed = parseJsonc(readFileSync(file, "utf8"))
      const value = parsed.ok ? parsed.value.value : undefined
      const list = (value as { permissions?: { allow?: string[] } }).permissions?.allow ?? []
      expect(list).toEqual([...expected])
      expect(readFileSync(file, "utf8")).toContain("// mine")
    }),
    { numRuns: 60 },
  )
})
