/** A policy as mounts: what lies on what. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { bubblewrapArgv } from "#ground/sandbox/bubblewrap.ts"
import { isBelow } from "#lib/lies-in.ts"
import { mountsOf, type PathKind } from "#ground/sandbox/mounts.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import { seatbeltProfile } from "#ground/sandbox/seatbelt.ts"

const line = (path: string) => ({ path, because: "a test" })

const policy = (parts: Partial<Policy>): Policy => ({
  name: "workspace",
  writes: [],
  held: [],
  hidden: [],
  temp: { folder: "/s/tmp", asTmp: false },
  network: { mode: "off", because: "a test" },
  limits: { processes: 10, memoryBytes: 1000 },
  ...parts,
})

const realFolder = (folder: string): string => folder
const everythingExists = { kindOf: (path: string): PathKind => (/\.\w+$/.test(path) ? "file" : "folder"), realFolder }
const nothing = { reads: [], writes: [] }

describe("order", () => {
  test("what contains another comes first, and what is between something writable and something held cannot be moved", () => {
    const mounts = mountsOf(
      policy({
        writes: [line("/w")],
        held: [line("/w/.git/hooks"), line("/w/.git/config")],
        hidden: [line("/w/a/.ssh")],
      }),
      nothing,
      { kindOf: (path) => (path.endsWith("config") ? "file" : "folder"), realFolder },
    )
    expect(mounts).toEqual([
      { kind: "writable", path: "/w", from: "/w" },
      { kind: "writable", path: "/s/tmp", from: "/s/tmp" },
      { kind: "writable", path: "/w/.git", from: "/w/.git" },
      { kind: "readable", path: "/w/.git/hooks", from: "/w/.git/hooks" },
      { kind: "readable", path: "/w/.git/config", from: "/w/.git/config" },
      { kind: "sealed", path: "/w/a/.ssh", what: "folder" },
    ])
  })

  test("a hidden folder with something needed in it is empty instead of sealed", () => {
    const mounts = mountsOf(
      policy({ hidden: [line("/state")] }),
      { reads: ["/state/x.sh"], writes: [] },
      everythingExists,
    )
    expect(mounts).toEqual([
      { kind: "empty", path: "/state" },
      { kind: "writable", path: "/s/tmp", from: "/s/tmp" },
      { kind: "readable", path: "/state/x.sh", from: "/state/x.sh" },
    ])
  })

  test("what lies in something hidden needs no mount, unless it is seen there", () => {
    const mounts = mountsOf(
      policy({ hidden: [line("/h"), line("/h/a"), line("/h/b/c")], shown: [line("/h/b")] }),
      nothing,
      everythingExists,
    )
    expect(mounts.map(({ kind, path }) => [kind, path])).toEqual([
      ["empty", "/h"],
      ["writable", "/s/tmp"],
      ["readable", "/h/b"],
      ["sealed", "/h/b/c"],
    ])
  })

  test("what is hidden and held and writable at once is hidden", () => {
    const mounts = mountsOf(
      policy({ writes: [line("/w")], held: [line("/w")], hidden: [line("/w")] }),
      nothing,
      everythingExists,
    )
    expect(mounts.find(({ path }) => path === "/w")).toEqual({ kind: "sealed", path: "/w", what: "folder" })
  })

  test("a private folder lies at /tmp, and a workspace below /tmp over it", () => {
    const mounts = mountsOf(
      policy({ writes: [line("/tmp/project")], temp: { folder: "/s/tmp", asTmp: true } }),
      nothing,
      everythingExists,
    )
    expect(mounts.map(({ path }) => path)).toEqual(["/tmp", "/var/tmp", "/tmp/project", "/s/tmp"])
  })

  test("what is shown in something hidden can be read, and a cache has another folder over it", () => {
    const mounts = mountsOf(
      policy({ hidden: [line("/h")], shown: [line("/h/.npm")], replaced: [{ ...line("/h/.npm"), from: "/s/npm" }] }),
      nothing,
      everythingExists,
    )
    expect(mounts.slice(0, 1)).toEqual([{ kind: "empty", path: "/h" }])
    expect(mounts.at(-1)).toEqual({ kind: "writable", path: "/h/.npm", from: "/s/npm" })
  })

  test("what does not exist is not mounted", () => {
    expect(
      mountsOf(policy({ writes: [line("/a")], held: [line("/a/b")], hidden: [line("/c")] }), nothing, {
        kindOf: () => undefined,
        realFolder,
      }),
    ).toEqual([])
  })
})

const paths = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join("/")}`)
const lines = fc.uniqueArray(paths, { maxLength: 5 }).map((all) => all.map(line))

test("nothing hidden can be read and nothing held be written, however the lines lie", () => {
  fc.assert(
    fc.property(lines, lines, lines, paths, (writes, held, hidden, path) => {
      const mounts = mountsOf(policy({ writes, held, hidden }), nothing, { kindOf: () => "folder", realFolder })
      const covers = (of: readonly { path: string }[]): readonly string[] =>
        of.map((each) => each.path).filter((other) => other === path || isBelow(path, other))
      const deepest = (all: readonly string[]): number => Math.max(-1, ...all.map((each) => each.length))
      const top = mounts.findLast((mount) => mount.path === path || isBelow(path, mount.path))
      const [w, h, s] = [covers(writes), covers(held), covers(hidden)].map(deepest)
      if (w === undefined || h === undefined || s === undefined) return false
      // The deepest line about a path counts; at the same depth the strictest one. Nothing held shows what is hidden.
      if (s >= 0 && s >= w) return top?.kind === "sealed" || top?.kind === "empty"
      return (h < w && w >= 0) || top?.kind !== "writable"
    }),
    { examples: [[[line("/a/a/b")], [], [line("/a"), line("/a/a/b")], "/a/a/b"]] },
  )
})

test("words of the command stay words: nothing of it is read as an option", () => {
  const argv = bubblewrapArgv({
    program: { file: "/bin/echo", argv: ["--bind", "/", "/"], cwd: "/" },
    mounts: [],
    sealed: { file: "/f", folder: "/d" },
    ownNetwork: true,
    sees: "itself",
  })
  expect(argv.slice(argv.indexOf("--"))).toEqual(["--", "/bin/echo", "--bind", "/", "/"])
})

describe("a profile for macOS", () => {
  const workspace = policy({
    writes: [line('/Users/me/my "app"')],
    held: [line('/Users/me/my "app"/.git/hooks'), line('/Users/me/my "app"/.codewright')],
    hidden: [line("/Users/me/.ssh")],
    network: {
      mode: "domains",
      allowed: [],
      denied: [],
      others: "ask",
      unixSockets: [line("/var/run/docker.sock")],
    },
  })
  const profile = seatbeltProfile(
    { policy: workspace, needed: nothing, proxyPort: 4711 },
    {
      kindOf: (path) => (path.endsWith(".codewright") ? undefined : "folder"),
      realFolder,
    },
  )

  test("says the same as the policy, in an order in which the last line counts", () => {
    expect(profile.split("\n").slice(-12)).toMatchInlineSnapshot(`
      [
        "(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/tty") (regex #"^/dev/fd/"))",
        "(allow file-read*)",
        "(allow file-read* file-write* (subpath "/s/tmp"))",
        "(allow file-read* file-write* (subpath "/Users/me/my \\"app\\""))",
        "(deny file-read* file-write* (subpath "/Users/me/.ssh"))",
        "(allow file-read* file-write* (subpath "/Users/me/my \\"app\\"/.git"))",
        "(allow file-read* (subpath "/Users/me/my \\"app\\"/.git/hooks"))",
        "(deny file-write* (subpath "/Users/me/my \\"app\\"/.git/hooks"))",
        "(deny file-write* (subpath "/Users/me/my \\"app\\"/.codewright"))",
        "(allow network-outbound (remote ip "localhost:4711"))",
        "(allow network-outbound (remote unix-socket (path "/var/run/docker.sock")))",
        "",
      ]
    `)
  })

  test("denies by default and reaches nothing but the proxy", () => {
    expect(profile).toStartWith("(version 1)\n(deny default)\n")
    expect(profile.match(/network\S*/g)).toEqual(["network-outbound", "network-outbound"])
    expect(seatbeltProfile({ policy: policy({}), needed: nothing }, everythingExists)).not.toContain("network")
  })
})
