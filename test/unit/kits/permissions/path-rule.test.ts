/** Path rules on a real disk: nothing escapes by links, dots or a shared beginning. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import type { Workspace } from "#kits/permissions/paths.ts"
import { diskRealPath, edit, read, rulesFrom, tempTree } from "./judge.ts"

/** work/ is the workspace; outside/ lies beside it; links lead from one to the other. */
function disk(): { readonly root: string; readonly at: (path: string) => string; readonly workspace: Workspace } {
  const top = tempTree({
    "work/src/a.ts": "",
    "work/secrets/key": "",
    "work2/b.ts": "",
    "outside/file": "",
    "home/.ssh/id": "",
  })
  const at = (path: string): string => join(top, path)
  symlinkSync(at("outside"), at("work/out"))
  symlinkSync(at("work/secrets"), at("work/innocent"))
  symlinkSync(at("outside/new"), at("work/dangling"))
  symlinkSync(at("work"), at("alias"))
  mkdirSync(at("work/.git/hooks"), { recursive: true })
  symlinkSync(at("work/.git/hooks"), at("work/hooks"))
  const root = at("work")
  return { root, at, workspace: { root, added: [], home: at("home"), protectedPaths: [], own: [] } }
}

const { root, at, workspace } = disk()
/** Unlike join(), leaves the dots for the decision to see. */
const untidied = (path: string): string => `${at(".")}/${path}`
const here = { workspace, realPath: diskRealPath, cwd: root }

describe("the workspace", () => {
  test.each([
    ["a file", "work/src/a.ts", "allow"],
    ["a file that is not there yet", "work/src/new.ts", "allow"],
    ["the same beginning", "work2/b.ts", "ask"],
    ["up and away", "work/../outside/file", "ask"],
    ["through a link", "work/out/file", "ask"],
    ["through a link to what is not there", "work/out/new", "ask"],
    ["a dangling link", "work/dangling", "ask"],
    ["up from a link", "work/out/../work/src/a.ts", "allow"],
  ] as const)("reading %s", (_name, path, behavior) => {
    const raw = untidied(path)
    expect(read(raw, here).behavior).toBe(behavior)
    expect(edit(raw, { ...here, mode: "acceptEdits" }).behavior).toBe(behavior)
  })

  test("a root that is itself a link still holds its files", () => {
    const linked = { ...here, workspace: { ...workspace, root: at("alias") }, cwd: at("alias") }
    expect(read(at("alias/src/a.ts"), linked).behavior).toBe("allow")
    expect(read(at("work/src/a.ts"), linked).behavior).toBe("allow")
    expect(edit(at("alias/src/a.ts"), { ...linked, rules: rulesFrom({ allow: ["Edit(src/**)"] }) }).behavior).toBe(
      "allow",
    )
  })

  test("a link to a protected folder is protected", () => {
    expect(edit(at("work/hooks/pre-commit"), { ...here, mode: "bypassPermissions" }).behavior).toBe("ask")
  })
})

describe("deny rules find a file under all its names", () => {
  const deny = (rule: string): { readonly rules: ReturnType<typeof rulesFrom> } => ({
    rules: rulesFrom({ deny: [rule] }, "session", root),
  })
  test.each([
    ["Read(secrets/**)", "work/secrets/key"],
    ["Read(secrets/**)", "work/innocent/key"],
    ["Read(innocent/**)", "work/secrets/key"],
    ["Read(/secrets)", "work/secrets/key"],
    ["Read(./secrets/)", "work/secrets/key"],
    ["Read(secrets/**)", "work/secrets"],
    ["Read(secrets/**)", "work/src/../secrets/key"],
    ["Read(key)", "work/secrets/key"],
    ["Read(../outside/**)", "outside/file"],
    ["Read(../outside/**)", "work/out/file"],
    ["Read(dangling)", "work/dangling"],
    ["Read(//**/key)", "work/secrets/key"],
    ["Read(~/.ssh/**)", "home/.ssh/id"],
  ])("%s and %s", (rule, path) => {
    const raw = untidied(path)
    expect(read(raw, { ...here, ...deny(rule), mode: "bypassPermissions" }).behavior).toBe("deny")
    expect(edit(raw, { ...here, ...deny(rule), mode: "bypassPermissions" }).behavior).toBe("deny")
  })

  test("a cd does not carry the rule away", () => {
    const moved = { ...here, ...deny("Read(./secrets/**)"), cwd: at("work/src") }
    expect(read(at("work/secrets/key"), moved).behavior).toBe("deny")
  })

  test("case hides nothing where the file system ignores it", () => {
    const folded = { ...here, ...deny("Read(secrets/[K]ey)"), workspace: { ...workspace, ignoresCase: true } }
    expect(read(at("work/SECRETS/KEY"), folded).behavior).toBe("deny")
  })
})

describe("allow rules need every name of a file to match", () => {
  const allow = (rule: string): { readonly rules: ReturnType<typeof rulesFrom> } => ({
    rules: rulesFrom({ allow: [rule] }, "session", root),
  })
  test.each([
    ["Edit(src/**)", "work/src/a.ts", "allow"],
    ["Edit(src/**)", "work/src", "ask"],
    ["Edit(src/**)", "work/src/../secrets/key", "ask"],
    ["Edit(out/**)", "work/out/file", "ask"],
    ["Edit(**)", "work/out/file", "ask"],
    ["Edit(**)", "work/dangling", "ask"],
    ["Edit(**)", "work2/b.ts", "ask"],
    ["Edit(//**)", "work/out/file", "allow"],
    ["Edit(../outside/**)", "outside/file", "allow"],
    ["Edit(*)", "work2/b.ts", "ask"],
  ] as const)("%s and %s: %s", (rule, path, behavior) => {
    const raw = untidied(path)
    expect(edit(raw, { ...here, ...allow(rule) }).behavior).toBe(behavior)
  })

  test("`/` is relative to the settings that hold the rule", () => {
    const rules = rulesFrom({ allow: ["Edit(/x/**)"] }, "user settings", at("outside"))
    expect(edit(at("outside/x/y"), { ...here, rules }).behavior).toBe("allow")
    expect(edit(at("work/x/y"), { ...here, rules }).behavior).toBe("ask")
  })

  test("no walk of names, dots and links leaves what was allowed", () => {
    const name = fc.constantFrom(
      "..",
      ".",
      "src",
      "out",
      "innocent",
      "secrets",
      "a.ts",
      "key",
      "new",
      "dangling",
      "work2",
      "outside",
      "",
    )
    const rules = rulesFrom({ allow: ["Edit(src/**)"] })
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (names) => {
        const path = `${root}/${names.join("/")}`
        if (edit(path, { ...here, rules }).behavior !== "allow") return
        expect(`${diskRealPath(path)}/`).toStartWith(`${at("work/src")}/`)
        expect(`${join(path)}/`).toStartWith(`${at("work/src")}/`)
      }),
      { numRuns: 1000 },
    )
  })

  test("no walk of names, dots and links reads what was denied, whatever the mode", () => {
    const name = fc.constantFrom("..", ".", "src", "innocent", "secrets", "key", "work", "")
    const rules = rulesFrom({ deny: ["Read(secrets/**)"] })
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (names) => {
        const path = `${root}/${names.join("/")}`
        const real = diskRealPath(path)
        const hit =
          `${real}/`.startsWith(`${at("work/secrets")}/`) || `${join(path)}/`.startsWith(`${at("work/secrets")}/`)
        if (hit) expect(read(path, { ...here, rules, mode: "bypassPermissions" }).behavior).toBe("deny")
      }),
      { numRuns: 1000 },
    )
  })
})
