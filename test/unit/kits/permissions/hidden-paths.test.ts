/** Searches leave out every file that Read would be denied, and no other. */

import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import fc from "fast-check"
import { realPath } from "#ground/workspace/paths.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { type HiddenPaths, hiddenPaths } from "#kits/permissions/hidden-paths.ts"
import type { Workspace } from "#kits/permissions/paths.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { place, read, rulesFrom } from "./judge.ts"
import { runs } from "../../../kit/runs.ts"

const hides = (rules: readonly PermissionRule[], workspace: Workspace = place): HiddenPaths =>
  hiddenPaths(rules, { workspace, cwd: workspace.root, realPath: (path) => path })

test("files that may not be read are hidden", () => {
  const { isHidden, hiddenIn } = hides(rulesFrom({ deny: ["Read(secrets/**)", "Read(*.pem)"] }))
  for (const judge of [isHidden, hiddenIn("/"), hiddenIn("/repo")])
    expect(["/repo/secrets/a", "/repo/x/y.pem", "/repo/a.ts"].map(judge)).toEqual([true, true, false])
})

test("what is closed is hidden from a search in it, around it and beside it, except what is open in it", () => {
  const closed = [{ path: "/home/me/state/teams", holds: "mail", except: ["/home/me/state/teams/own"] }]
  const paths = ["/home/me/state/teams", "/home/me/state/teams/mail", "/home/me/state/teams/own/a", "/home/me/teams"]
  const { isHidden, hiddenIn } = hides([], { ...place, closed })
  for (const judge of [isHidden, hiddenIn("/"), hiddenIn("/home/me"), hiddenIn("/home/me/")])
    expect(paths.map(judge)).toEqual([true, true, false, false])
  expect(hiddenIn("/home/me/state/teams/deep")("/home/me/state/teams/deep/a")).toBe(true)
  expect(hiddenIn("/home/me/state/teams/own")("/home/me/state/teams/own/a")).toBe(false)
  expect(hiddenIn("/home/me/state/team")("/home/me/state/team/mail")).toBe(false)
  const anyCase = hides([], { ...place, closed, ignoresCase: true })
  expect(anyCase.hiddenIn("/home/ME/State")("/home/ME/State/TEAMS/mail")).toBe(true)
})

const name = fc.constantFrom("a", "b", "B", "k.pem")
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"))
test("a file that a rule names by a link to it is hidden under its own name", () => {
  using folder = temporaryFolder()
  for (const file of ["key", "other"]) writeFileSync(folder.join(file), "")
  symlinkSync("key", folder.join("link"))
  const workspace = { ...place, root: folder.path }
  const rules = rulesFrom({ deny: ["Read(./link)"] })
  const { isHidden, hiddenIn } = hiddenPaths(rules, { workspace, cwd: workspace.root, realPath })
  for (const judge of [isHidden, hiddenIn(folder.path)])
    expect(["key", "other"].map((file) => judge(folder.join(file)))).toEqual([true, false])
})

const tops = ["work", "state"] as const
const top = fc.constantFrom(...tops)
const below = fc.tuple(top, path).map((names) => names.join("/"))
const anywhere = fc.oneof(top, below)
const pattern = fc
  .tuple(
    fc.constantFrom("", "./", "/", "../", "~/", "~/work/", "~/state/", "//"),
    fc.array(fc.oneof(name, fc.constantFrom("*", "**", "?", "[!b]", "*.pem", "state")), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", "", "/", "/**"),
  )
  .map(([start, names, end]) => `Read(${start}${names.join("/")}${end})`)
const world = fc.record({
  files: fc.array(below, { minLength: 1, maxLength: 12 }),
  links: fc.array(fc.tuple(below, anywhere), { maxLength: 3 }),
  deny: fc.array(pattern, { maxLength: 3 }),
  closed: fc.array(anywhere, { maxLength: 2 }),
  ignoresCase: fc.boolean(),
  copy: fc.option(fc.tuple(anywhere, anywhere)),
})

test("whatever the tree and the rules, a search finds what Read may read, from every folder", async () => {
  using folder = temporaryFolder()
  let hidden: HiddenPaths | undefined
  const { search, close } = openWorkspace({
    root: folder.path,
    home: folder.path,
    ripgrep: async () => rgPath,
    sessionFolder: folder.join("session"),
    env: () => ({}),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: () => true,
    hiddenIn: (searched) => hidden?.hiddenIn(searched) ?? (() => true),
  })
  let run = 0
  const never = new AbortController().signal
  await fc.assert(
    fc.asyncProperty(world, async ({ files, links, deny, closed, ignoresCase, copy }) => {
      const home = folder.join(`${++run}`)
      const at = (one: string): string => join(home, one)
      for (const one of tops) mkdirSync(at(one), { recursive: true })
      for (const one of files) make(at(one), (made) => writeFileSync(made, "needle\n"))
      for (const [one, target] of links) make(at(one), (made) => symlinkSync(at(target), made))
      const workspace: Workspace = {
        ...place,
        root: at("work"),
        home,
        closed: closed.map((one) => ({ path: at(one), holds: "a secret", except: [] })),
        ignoresCase,
        ...(copy && { apart: { at: at(copy[0]), of: at(copy[1]) } }),
      }
      const rules = rulesFrom({ deny }, "user settings", at("state"))
      hidden = hiddenPaths(rules, { workspace, cwd: workspace.root, realPath })
      const mayRead = (file: string): boolean => read(file, { workspace, rules, realPath }).behavior !== "deny"
      for (const searched of [home, ...foldersIn(home)]) {
        const all = filesIn(searched).sort()
        const expected = all.filter(mayRead)
        const isHidden = hidden.hiddenIn(searched)
        const isLink = realPath(searched) !== searched
        if (!isLink) expect(all.filter((file) => !isHidden(file))).toEqual(expected)
        if (!isLink && searched !== home) continue
        const query = { folder: searched, path: searched, most: 1000, signal: never }
        const named = await search.files({ ...query, pattern: "**" })
        expect(named.ok && [...named.value.paths].sort()).toEqual(expected)
        const told = await search.lines({ ...query, ...content, cwd: home })
        expect(told.ok && told.value.paths).toEqual(expected)
      }
    }),
    { ...runs(30) },
  )
  await close()
}, 300_000)

const content = {
  pattern: "needle",
  isFolder: true,
  globs: [],
  type: undefined,
  ignoreCase: false,
  multiline: false,
  around: { before: 0, after: 0 },
  offset: 0,
  characters: 1_000_000,
  row: (found: string) => found,
} as const

function make(at: string, one: (path: string) => void): void {
  try {
    mkdirSync(dirname(at), { recursive: true })
    one(at)
  } catch {
    // Something else is there.
  }
}

const entriesIn = (folder: string) => readdirSync(folder, { withFileTypes: true })

const filesIn = (folder: string): string[] =>
  entriesIn(folder).flatMap((entry) => {
    const at = join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(at)
    return entry.isFile() ? [at] : []
  })

/** Also links to folders. */
const foldersIn = (folder: string): string[] =>
  entriesIn(folder).flatMap((entry) => {
    const at = join(folder, entry.name)
    if (entry.isDirectory()) return [at, ...foldersIn(at)]
    return entry.isSymbolicLink() && plainDisk.kindOf(realPath(at)) === "folder" ? [at] : []
  })
