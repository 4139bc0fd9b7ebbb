/** What is closed is found under every name; most paths are passed without looking for it. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { hasLink, openRealPaths } from "#ground/workspace/paths.ts"
import { closedFinder } from "#kits/permissions/closed.ts"
import { openMayBeClosed } from "#kits/permissions/may-be-closed.ts"
import type { ClosedPath, Workspace } from "#kits/permissions/paths.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { bash, place, read } from "./judge.ts"

const names = ["key", "teams", "a/key"]

function closedIn(state: string): Pick<Workspace, "closed" | "mayBeClosed"> {
  const closed = names.map((name): ClosedPath => ({ path: join(state, name), holds: "a secret", except: [] }))
  return { closed, mayBeClosed: openMayBeClosed(closed, hasLink) }
}

const readOf = (path: string, workspace: Partial<Workspace>) => read(path, { workspace, realPath: openRealPaths() })

test("whatever links there are, it is as if all were compared", () => {
  using folder = temporaryFolder()
  const anywhere = fc
    .array(fc.constantFrom("x", "y", "teams"), { minLength: 1, maxLength: 2 })
    .map((all) => all.join("/"))
  const inState = fc.constantFrom("state", "state/a", ...names.map((name) => `state/${name}`))
  const what = fc.oneof(
    fc.constant("folder"),
    anywhere.map((path) => `/${path}`),
  )
  const things = fc.array(fc.tuple(fc.oneof(anywhere, inState), what), { maxLength: 8 })
  let run = 0
  fc.assert(
    fc.property(things, fc.array(fc.oneof(anywhere, inState), { maxLength: 6 }), (made, asked) => {
      const root = folder.join(`${++run}`)
      mkdirSync(join(root, "state"), { recursive: true })
      for (const [at, one] of made) make(join(root, at), one.startsWith("/") ? root + one : one)
      const workspace = { root, ...closedIn(join(root, "state")) }
      for (const path of asked) {
        const passed = readOf(join(root, path), workspace)
        expect(passed).toEqual(readOf(join(root, path), { root, closed: workspace.closed ?? [] }))
      }
    }),
    { numRuns: 150 },
  )
})

function make(path: string, what: string): void {
  try {
    if (what === "folder") mkdirSync(path, { recursive: true })
    else symlinkSync(what, path)
  } catch {
    // Something else is there.
  }
}

test("exceptions are open, to tools and to searches", () => {
  const closed = [{ path: "/repo/state", holds: "a secret", except: ["/repo/state/own"] }]
  const isClosed = closedFinder({ ...place, closed }, (path) => [path])("/repo")
  for (const [path, expected] of [
    ["/repo/state/key", "deny"],
    ["/repo/state/own/notes", "allow"],
    ["/repo/src/a.ts", "allow"],
  ] as const) {
    expect([path, read(path, { workspace: { closed } }).behavior]).toEqual([path, expected])
    expect([path, isClosed(path)]).toEqual([path, expected === "deny"])
  }
})

test("what the sandbox hides from commands is closed to tools alone", () => {
  const closed = [{ path: "/repo/state", holds: "a secret", except: [], heldBySandbox: true as const }]
  expect(read("/repo/state/key", { workspace: { closed } }).behavior).toBe("deny")
  expect(bash("cat state/key", { workspace: { closed } }).behavior).toBe("allow")
})

test("a closed folder that is a link is closed where it leads, as long as it does", () => {
  using folder = temporaryFolder()
  const root = folder.join("work")
  for (const name of ["state", "work/elsewhere"]) mkdirSync(folder.join(name), { recursive: true })
  const workspace = { root, ...closedIn(folder.join("state")) }
  const seen = () => readOf(join(root, "elsewhere/mail"), workspace).behavior
  expect(seen()).toBe("allow")
  symlinkSync("../work/elsewhere", folder.join("state/teams"))
  expect(seen()).toBe("deny")
  rmSync(folder.join("state/teams"))
  expect(seen()).toBe("allow")
})

test("it is closed where the folder around it leads, also after that was moved", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("real/teams"), { recursive: true })
  symlinkSync("real", folder.join("state"))
  const workspace = { root: folder.path, ...closedIn(folder.join("state")) }
  const seen = (path: string) => readOf(folder.join(path), workspace).behavior
  expect(["state/teams/mail", "real/teams/mail", "real/other"].map(seen)).toEqual(["deny", "deny", "allow"])
  mkdirSync(folder.join("later/teams"), { recursive: true })
  rmSync(folder.join("state"))
  symlinkSync("later", folder.join("state"))
  expect(["later/teams/mail", "real/teams/mail"].map(seen)).toEqual(["deny", "allow"])
})

test("a path could be closed if it has the name in any spelling, or letters that may stand for others", () => {
  const { mayBeClosed } = closedIn("/nowhere")
  const forms = ["/a/b", "/a/teams/b", "/a/Teams", "/a/my-key.ts", "/a/\u212aey", "/a/b\n"]
  expect(forms.map((form) => mayBeClosed?.([form]))).toEqual([false, true, true, true, true, true])
  expect([mayBeClosed?.(["/a/b", "/a/teams"]), mayBeClosed?.([])]).toEqual([true, false])
})
