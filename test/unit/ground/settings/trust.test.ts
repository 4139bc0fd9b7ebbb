/** Trust is kept by real path, for that very folder, in a private file, with what the person was shown. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { lineOf } from "#ground/settings/project-lines.ts"
import { holdsHome, isTrusted, trustedLines, trustFolder, trustMore, untrustedLines } from "#ground/settings/trust.ts"
import { systemClock } from "#lib/clock.ts"
import type { JsonValue } from "#lib/json.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

const clock = { ...systemClock, now: () => 0 }

function folders() {
  const top = lastingFolder()
  mkdirSync(join(top, "repo/sub"), { recursive: true })
  mkdirSync(join(top, "people/ada/code"), { recursive: true })
  return { top, repo: join(top, "repo"), place: { state: join(top, "state"), home: join(top, "people/ada"), clock } }
}

const line = (what: string, value: JsonValue = what) => lineOf({ file: "f", what, detail: "", value })

test("a folder is trusted once someone says so, by whatever name it is reached, and its neighbours are not", () => {
  const { top, place, repo } = folders()
  symlinkSync(repo, join(top, "link"))
  expect(isTrusted(place, repo)).toBe(false)
  expect(trustFolder(place, join(top, "link"), [])).toEqual({ ok: true, value: repo })
  expect(
    [repo, join(top, "link"), join(repo, "sub"), top, join(top, "gone")].map((folder) => isTrusted(place, folder)),
  ).toEqual([true, true, false, false, false])
})

test("the file is private, whole, and keeps what it held", () => {
  const { top, place, repo } = folders()
  const hook = line("hook Stop")
  trustFolder(place, repo, [hook])
  trustFolder(place, join(repo, "sub"), [])
  expect(JSON.parse(readFileSync(join(place.state, "trust.json"), "utf8"))).toEqual({
    version: 2,
    folders: {
      [repo]: { at: "1970-01-01T00:00:00.000Z", lines: { [hook.digest]: "hook Stop" } },
      [join(repo, "sub")]: { at: "1970-01-01T00:00:00.000Z", lines: {} },
    },
  })
  expect(statSync(place.state).mode & 0o777).toBe(0o700)
  expect(statSync(join(place.state, "trust.json")).mode & 0o777).toBe(0o600)
  expect(readdirSync(place.state)).toEqual(["trust.json"])
  expect(readdirSync(top).sort()).toEqual(["people", "repo", "state"])
})

test("a broken file trusts nothing and is not written over", () => {
  const { place, repo } = folders()
  mkdirSync(place.state)
  writeFileSync(join(place.state, "trust.json"), "{")
  expect(isTrusted(place, repo)).toBe(false)
  const result = trustFolder(place, repo, [])
  expect(result.ok ? "" : result.failure).toContain("is not a list of trusted folders")
  expect(readFileSync(join(place.state, "trust.json"), "utf8")).toBe("{")
})

test("a folder that does not exist cannot be trusted", () => {
  const { place, top } = folders()
  expect(trustFolder(place, join(top, "gone"), []).ok).toBe(false)
})

test("home, what holds it and the root are never trusted, also where a file says that they are", () => {
  const { place, top } = folders()
  symlinkSync(place.home, join(top, "link"))
  const never = [place.home, join(top, "people"), join(top, "link"), "/"]
  for (const folder of never) {
    expect([folder, holdsHome(folder, place.home)]).toEqual([folder, true])
    expect(trustFolder(place, folder, [])).toMatchObject({ ok: false, failure: expect.stringContaining("home folder") })
  }
  mkdirSync(place.state, { recursive: true })
  writeFileSync(
    join(place.state, "trust.json"),
    JSON.stringify({ folders: Object.fromEntries(never.map((folder) => [folder, { lines: {} }])) }),
  )
  expect(never.filter((folder) => isTrusted(place, folder))).toEqual([])
  expect(holdsHome(join(place.home, "code"), place.home)).toBe(false)
  expect(trustFolder(place, join(place.home, "code"), []).ok).toBe(true)
})

test("what was shown is known later; anything else is new, or changed where one of its name is gone", () => {
  const { place, repo } = folders()
  const [a, b] = [line("hook Stop", 1), line("allow rule", "A")]
  trustFolder(place, repo, [a, b])
  const known = trustedLines(place, repo) ?? new Map()
  const changes = (...lines: Parameters<typeof untrustedLines>[0]) =>
    untrustedLines(lines, known).map(({ what, change }) => [what, change])
  expect(changes(a, b)).toEqual([])
  expect(changes(a)).toEqual([])
  expect(changes(a, b, line("hook Stop", 2))).toEqual([["hook Stop", "new"]])
  expect(changes(line("hook Stop", 2), b)).toEqual([["hook Stop", "changed"]])
  expect(changes(a, b, line("variable X"))).toEqual([["variable X", "new"]])
})

test("an entry of an older version is a trusted folder of which nothing was shown", () => {
  const { place, repo } = folders()
  mkdirSync(place.state)
  writeFileSync(
    join(place.state, "trust.json"),
    JSON.stringify({ version: 1, folders: { [repo]: { at: "x", runs: { ".mcp.json": { mcpServers: "y" } } } } }),
  )
  expect([...(trustedLines(place, repo) ?? ["untrusted"])]).toEqual([])
})

test("what the person writes through us joins a trusted folder, and no other", () => {
  const { place, repo } = folders()
  const [a, b] = [line("a"), line("b")]
  trustMore(place, repo, [a])
  expect(isTrusted(place, repo)).toBe(false)
  trustFolder(place, repo, [a])
  trustMore(place, repo, [b])
  expect([...(trustedLines(place, repo)?.keys() ?? [])]).toEqual([a.digest, b.digest])
})
