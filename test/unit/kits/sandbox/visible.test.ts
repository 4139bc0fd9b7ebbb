/** What commands that nobody was asked about can see and change, on a real disk and through a real policy. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import type { SandboxPlace } from "#kits/sandbox/facts.ts"
import { judgedPolicy } from "#kits/sandbox/judged-policy.ts"
import { outermost, viewOf } from "#kits/sandbox/visible.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const placeIn = (top: string): SandboxPlace => ({
  root: `${top}/work/app`,
  added: [],
  home: `${top}/home`,
  state: `${top}/home/.codewright`,
  ownState: [],
  claudeFolder: `${top}/home/.claude`,
  temp: `${top}/temp`,
  platform: "linux",
  uid: 1000,
  memoryBytes: 1,
  programFolders: [`${top}/home/tools/node/bin`, "/usr/bin"],
})

test("the workspace, its repository, toolchains and what git's settings name are shown; the rest is hidden", () => {
  using folder = temporaryFolder()
  const top = folder.path
  for (const made of ["work/app", "work/.git", "home/.cargo", "home/tools/node/bin", "home/dotfiles", "home/Documents"])
    mkdirSync(`${top}/${made}`, { recursive: true })
  writeFileSync(`${top}/work/.git/HEAD`, "ref: refs/heads/main\n")
  writeFileSync(`${top}/home/dotfiles/gitconfig`, `[core]\n\texcludesFile = ~/dotfiles/ignore\n`)
  writeFileSync(`${top}/home/dotfiles/ignore`, "*.log\n")
  symlinkSync("dotfiles/gitconfig", `${top}/home/.gitconfig`)
  const { hidden, shown } = viewOf(placeIn(top), plainDisk)
  expect(hidden.map(({ path }) => path)).toContain("/tmp")
  expect(hidden.map(({ path }) => path)).not.toContain("/usr")
  const named = shown.map(({ path, from }) => [path.slice(top.length + 1), from?.slice(top.length + 1)])
  expect(named).toEqual(
    expect.arrayContaining([
      ["work/app", undefined],
      ["work", undefined],
      ["home/.cargo", undefined],
      ["home/tools/node", undefined],
      ["home/.gitconfig", "home/dotfiles/gitconfig"],
      ["home/dotfiles/ignore", undefined],
    ]),
  )
  expect(named.flat()).not.toContain("home/Documents")
  expect(outermost(shown, hidden).map(({ path }) => path)).not.toContain(`${top}/work/app`)
})

test("what a line writes can be written, and what lies beside it cannot", () => {
  using folder = temporaryFolder()
  const root = folder.path
  for (const made of ["src/deep", "docs", ".git", "dist/old"]) mkdirSync(`${root}/${made}`, { recursive: true })
  writeFileSync(`${root}/.npmrc`, "save-exact=true\n")
  const reader: Policy = {
    name: "reader",
    writes: [],
    held: [],
    hidden: [{ path: "/secret", because: "a test" }],
    shown: [],
    temp: { folder: `${root}/temp`, asTmp: false },
    network: { mode: "off", because: "a test" },
    limits: { processes: 1, memoryBytes: 1 },
  }
  const policyFor = (writes: readonly string[], reads: readonly string[] = []) => {
    const boundary = { by: "judgement", writes, reads, mustHold: true } as const
    const { name, writes: lines, held, shown } = judgedPolicy(boundary, { reader, disk: plainDisk, roots: [root] })
    const short = (all: readonly { readonly path: string }[] = []): readonly string[] =>
      all.map(({ path }) => path.replace(`${root}/`, "")).toSorted()
    return { name, writes: short(lines), held: short(held), shown: short(shown) }
  }
  expect(policyFor([])).toEqual({ name: "reader", writes: [], held: [], shown: [] })
  expect(policyFor([`${root}/src/a.ts`])).toEqual({
    name: "edits",
    writes: ["src"],
    held: ["src/deep"],
    shown: [],
  })
  expect(policyFor([`${root}/dist`, `${root}/new/x/y`])).toEqual({
    name: "edits",
    writes: [root],
    held: [".git", ".npmrc", "docs", "src"],
    shown: [],
  })
  expect(policyFor([], ["/secret/one", "/etc/hosts"])).toEqual({
    name: "reader",
    writes: [],
    held: [],
    shown: ["/secret/one"],
  })
})
