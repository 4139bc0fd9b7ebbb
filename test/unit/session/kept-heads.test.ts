/** The list of many commands and skills is kept between starts, and every change of a file is seen. */

import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { ExtensionPlace } from "#ground/extensions/places.ts"
import { type Catalog, openCatalog } from "#kits/commands/catalog.ts"
import { commandFiles, wrongWith } from "#session/adapters/command-files.ts"
import { openKeptHeads } from "#session/adapters/kept-heads.ts"
import { type TemporaryFolder, temporaryFolder } from "../../kit/tmp.ts"

const clock = { now: () => Date.now() + 10_000 }
const text = (about: string): string => `---\ndescription: ${about}\n---\nDo it.\n`

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

function filled(skills: number): TemporaryFolder {
  const folder = temporaryFolder()
  for (let i = 0; i < skills; i++) put(folder.join(`home/.claude/skills/s${i}/SKILL.md`), text(`about ${i}`))
  put(folder.join("home/.claude/commands/sub/c.md"), text("a command"))
  mkdirSync(folder.join("home/.claude/skills/empty"))
  mkdirSync(folder.join("work"))
  return folder
}

interface Start {
  readonly trusted?: boolean
  readonly plugins?: ExtensionPlace["plugins"]
}

/** As a session does it; `reads` counts the files that were looked for and read. */
function start(
  { join }: TemporaryFolder,
  { trusted = true, plugins = [] }: Start = {},
): { readonly list: ReturnType<Catalog["list"]>; readonly isRead: boolean } {
  const where: ExtensionPlace = {
    cwd: join("work"),
    root: join("work"),
    home: join("home"),
    stateFolder: join("state"),
    claudeFolder: join("home/.claude"),
    plugins,
  }
  let isRead = false
  const kept = openKeptHeads({
    where,
    trusted,
    clock,
    builtIn: () => [],
    find(onLook) {
      isRead = true
      return commandFiles(where, trusted, onLook)
    },
  })
  const catalog = openCatalog({ files: kept.files, kept, trusted, wrongWith }, () => {})
  return { list: catalog.list(), isRead }
}

const told = ({ list }: ReturnType<typeof start>): readonly string[] =>
  list.map(({ name, description }) => `${name}: ${description}`)

test("the second start reads no file and lists the same", () => {
  using folder = filled(60)
  const first = start(folder)
  const second = start(folder)
  expect([first.isRead, second.isRead]).toEqual([true, false])
  expect(told(second)).toEqual(told(first))
  expect(told(first)).toContain("sub:c: a command")
})

test.each<[string, (join: TemporaryFolder["join"]) => void, string]>([
  [
    "changed with its old size and time",
    (join) => {
      const path = join("home/.claude/skills/s7/SKILL.md")
      const { atime, mtime } = statSync(path)
      writeFileSync(path, text("other 7"))
      utimesSync(path, atime, mtime)
    },
    "s7: other 7",
  ],
  ["a new skill", (join) => put(join("home/.claude/skills/new/SKILL.md"), text("fresh")), "new: fresh"],
  [
    "a skill in a folder that had none",
    (join) => put(join("home/.claude/skills/empty/SKILL.md"), text("fresh")),
    "empty: fresh",
  ],
  ["a new command", (join) => put(join("home/.claude/commands/sub/d.md"), text("fresh")), "sub:d: fresh"],
  ["a folder of its own", (join) => put(join("work/.claude/skills/s1/SKILL.md"), text("nearer")), "s1: nearer"],
  [
    "a damaged list",
    (join) => {
      for (const name of readdirSync(join("state/cache/extension-lists")))
        writeFileSync(join(`state/cache/extension-lists/${name}`), '{"version":')
    },
    "s1: about 1",
  ],
])("%s is seen by the next start", (_, change, line) => {
  using folder = filled(60)
  start(folder)
  change(folder.join)
  const next = start(folder)
  expect(next.isRead).toBe(true)
  expect(told(next)).toContain(line)
  expect(start(folder).isRead).toBe(false)
})

test("a removed skill is not listed", () => {
  using folder = filled(60)
  start(folder)
  rmSync(folder.join("home/.claude/skills/s7"), { recursive: true })
  expect(told(start(folder))).not.toContain("s7: about 7")
})

test("nothing is kept for a few, for a folder's own in one that is not trusted, or for plugins nobody verified", () => {
  using few = filled(3)
  start(few)
  expect(start(few).isRead).toBe(true)
  using untrusted = filled(60)
  put(untrusted.join("work/.claude/skills/own/SKILL.md"), text("own"))
  start(untrusted, { trusted: false })
  expect(start(untrusted, { trusted: false }).isRead).toBe(true)
  using brought = filled(60)
  const plugin = { name: "p", root: brought.join("p"), commands: [], agents: [], styles: [], skills: [] }
  start(brought, { plugins: [plugin] })
  expect(start(brought, { plugins: [plugin] }).isRead).toBe(true)
  // The states of its files are part of what the list depends on.
  const verified = (states: string) => ({ plugins: [{ ...plugin, states }] })
  start(brought, verified("a"))
  expect([start(brought, verified("a")).isRead, start(brought, verified("b")).isRead]).toEqual([false, true])
})
