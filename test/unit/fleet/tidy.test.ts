import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { tidyOnce, type TidyParts } from "#fleet/work/tidy.ts"
import { fileHistory } from "#ground/settings/state-folder.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { openSources } from "#ground/workspace/source/sources.ts"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { heldAgain, session } from "../../kit/fleet/records.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let store: FleetStore
const processes = openProcesses({
  clock: systemClock,
  ids: systemIds,
  scratch: join(folder, "scratch"),
  graceMs: 500,
  drainMs: 100,
})
beforeAll(async () => {
  database = await openUsual({ join: (...parts) => join(folder, ...parts) })
  store = valueOf(await openFleetStore(database))
}, 300_000)
afterAll(async () => {
  await store.close()
  await database.close()
  await processes.close()
})

const works = join(folder, "works")
const state = join(folder, "state")
const cache = join(folder, "cache")
const source = join(folder, "source")
const env = { PATH: process.env.PATH ?? "", HOME: folder }
const sources = openSources({ processes, env: () => env, cache: join(folder, "mirrors"), clock: systemClock })
const dayMs = 86_400_000

/** As a worker leaves it, so long ago, with so many bytes. */
async function clone(id: string, daysAgo: number, bytes = 10): Promise<Lease> {
  const opening = { workspace: { git: { url: source } } }
  await store.sessions.create(session(id, { labels: [id], opening }), "ann")
  const lease = await heldAgain(store, id)
  valueOf(await store.trees.begin(lease, "base"))
  const own = join(works, id)
  for (const name of ["tree", "plans", "keeper.git/objects/info"]) mkdirSync(join(own, name), { recursive: true })
  mkdirSync(fileHistory(state, join(own, "tree")), { recursive: true })
  writeFileSync(join(own, "tree", "file"), "x".repeat(bytes))
  writeFileSync(join(own, "keeper.git/objects/info/alternates"), `${join(cache, `${id}.git`)}/objects\n`)
  writeFileSync(join(own, "fence"), "1\n")
  age(join(own, "fence"), daysAgo)
  mkdirSync(join(cache, `${id}.git`), { recursive: true })
  age(join(cache, `${id}.git`), daysAgo)
  return lease
}

function age(path: string, daysAgo: number): void {
  const at = (systemClock.now() - daysAgo * dayMs) / 1000
  utimesSync(path, at, at)
}

async function keep(lease: Lease, place: "database" | "source" = "database"): Promise<void> {
  for (const lane of ["files", "beside"] as const)
    valueOf(await store.trees.keep(lease, { lane, state: "s", place, part: new Uint8Array([1]), replaces: true }))
}

const isThere = (id: string): readonly boolean[] =>
  [join(works, id, "tree"), join(works, id, "keeper.git"), fileHistory(state, join(works, id, "tree"))].map((path) =>
    existsSync(path),
  )
const all = [true, true, true]
const none = [false, false, false]

const tidy = (more: Partial<TidyParts> = {}): Promise<void> =>
  tidyOnce({
    store,
    sources,
    folder: works,
    state,
    cache,
    clock: systemClock,
    unusedMs: 14 * dayMs,
    mostBytes: 1_000_000,
    report: () => undefined,
    signal: new AbortController().signal,
    ...more,
  })

test("old clones go if nobody uses them and all of them is kept; mirrors go with the last clone", async () => {
  const [old, fresh, held, behind, unkept] = await Promise.all(
    (["old", "fresh", "held", "behind", "unkept"] as const).map((id) => clone(id, id === "fresh" ? 1 : 20)),
  )
  for (const lease of [old, fresh, held, behind]) if (lease) await keep(lease)
  if (behind) valueOf(await store.trees.fallBehind(behind, "too large"))
  for (const lease of [old, fresh, behind, unkept]) if (lease) valueOf(await store.leases.park(lease, {}))
  mkdirSync(join(works, "of-another-database", "keeper.git"), { recursive: true })
  age(join(works, "of-another-database"), 20)
  await tidy()
  expect(isThere("old")).toEqual(none)
  expect(existsSync(join(works, "old", "plans"))).toBe(true)
  for (const id of ["fresh", "held", "behind", "unkept"]) expect(isThere(id)).toEqual(all)
  expect(existsSync(join(works, "of-another-database", "keeper.git"))).toBe(true)
  expect(["old", "fresh", "held"].map((id) => existsSync(join(cache, `${id}.git`)))).toEqual([false, true, true])
})

test("beyond a size the ones that were not used for the longest time go", async () => {
  for (const [id, days] of [
    ["large 1", 3],
    ["large 2", 5],
    ["large 3", 4],
  ] as const) {
    const lease = await clone(id, days, 400_000)
    await keep(lease)
    valueOf(await store.leases.park(lease, {}))
  }
  await tidy()
  expect(isThere("large 2")).toEqual(none)
  for (const id of ["large 1", "large 3"]) expect(isThere(id)).toEqual(all)
})

test("the files of a cancelled session go, first from the source", async () => {
  const git = (...argv: readonly string[]): string => {
    const ran = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...argv], { cwd: source })
    if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
    return ran.stdout.toString()
  }
  mkdirSync(source)
  git("init", "-qb", "main")
  git("commit", "-q", "--allow-empty", "-m", "base")
  for (const id of ["cancelled-here", "cancelled-there"]) {
    await keep(await clone(id, 1), id === "cancelled-there" ? "source" : "database")
    git("update-ref", `refs/codewright/${id}`, "HEAD")
    valueOf(await store.sessions.cancel(id, "ann"))
  }
  const hook = join(source, ".git", "hooks", "pre-receive")
  writeFileSync(hook, "#!/bin/sh\necho not by you >&2\nexit 1\n", { mode: 0o755 })
  const said: string[] = []
  await Bun.sleep(2)
  await tidy({ unusedMs: 1, report: (text) => void said.push(text) })
  expect((await store.trees.get("cancelled-here"))?.files).toBeUndefined()
  expect((await store.trees.get("cancelled-there"))?.files).toBeDefined()
  expect(said.join()).toContain(`refs/codewright/cancelled-there cannot be removed from ${source}: `)
  expect(said.join()).toContain("not by you")
  rmSync(hook)
  await tidy({ unusedMs: 1 })
  // Only what is known to be there is removed.
  expect(git("for-each-ref", "--format=%(refname)", "refs/codewright")).toBe("refs/codewright/cancelled-here\n")
  expect(await store.trees.get("cancelled-there")).toEqual({ base: "base" })
  expect(isThere("cancelled-there")).toEqual(none)
})
