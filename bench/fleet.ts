/**
 * What do workers cost their database, idle and at work, when there are many of them, and when many sessions are finished? As ratios to one worker
 * and to the smallest tables. With CODEWRIGHT_BENCH_BEFORE, a folder with the sources of an earlier version, that one is the floor instead. With
 * CODEWRIGHT_BENCH_ALL, up to a thousand workers, also through PgBouncer, and a million finished sessions.
 */

import { copyFileSync, mkdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { hasPostgres } from "../test/kit/database/postgres-server.ts"
import { answer, rowOf } from "./kit/row.ts"

const root = resolve(import.meta.dir, "..")
const before = process.env["CODEWRIGHT_BENCH_BEFORE"]
const [workers, sizes] =
  process.env["CODEWRIGHT_BENCH_ALL"] === undefined
    ? ["1,4,16", "1000,30000"]
    : ["1,10,100,1000", "1000,10000,100000,1000000"]

type Figures = { readonly [name: string]: number }

/** The same program in another version. */
function measured(folder: string, kit: string, ...args: readonly string[]): readonly Figures[] {
  if (folder !== root)
    for (const file of [
      `bench/kit/${kit}`,
      "bench/kit/fleet-workers.ts",
      "test/kit/database/postgres-server.ts",
      "test/kit/database/pgbouncer.ts",
      "test/kit/fleet/store-calls.ts",
      "test/kit/database/counted-wire.ts",
      "test/kit/fleet/many-rows.ts",
      "test/kit/fleet/explained.ts",
    ]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      copyFileSync(join(root, file), join(folder, file))
    }
  const { stdout } = Bun.spawnSync([process.execPath, `bench/kit/${kit}`, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  })
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Figures)
}

const floorOf = (
  earlier: number | undefined,
  least: number | undefined,
  name: string,
): { readonly name: string; readonly value: number } | undefined =>
  earlier !== undefined ? { name: "before", value: earlier } : least === undefined ? undefined : { name, value: least }

/** Functions that a fleet calls all the time, or whose cost people wait for. */
const often = new Set(
  `leases.beat leases.acquire sessions.create lines.ship leases.park sessions.get sessions.list lists.find approvals.openPage approvals.decided
   deliveries.catchUp teams.of figures spending.spent audit erasing.old erasing.one lists.usage`.split(/\s+/),
)
/** What costs less is not looked at: a level of an index more is a third of it. */
const fewBlocks = 100

const shown: readonly (readonly [name: string, what: string, unit: string, toReach?: number])[] = [
  ["idleStatements", "statements of an idle worker", "a second", 1],
  ["connections", "connections of an idle worker, at most", "", 2],
  ["idleServerMs", "processor time of the database for an idle worker", "ms a second"],
  ["statements", "statements of a session", "", 40],
  ["transactions", "transactions of a session", "", 30],
  ["notifications", "notifications of a session, as they arrive", "", 3],
  ["attempts", "attempts to take a session", "attempts", 2],
]

if (hasPostgres) {
  const ways = process.env["CODEWRIGHT_BENCH_ALL"] === undefined ? ["direct"] : ["direct", "pooled"]
  for (const way of ways) showLoad(way)
  showGrowth()
} else answer(rowOf({ what: "workers and their database (needs Postgres)", ours: Number.NaN, unit: "ms" }))

function showLoad(way: string): void {
  const load = measured(root, "fleet-load.ts", workers, "15000", way)
  const loadBefore = before === undefined ? [] : measured(before, "fleet-load.ts", workers, "15000", way)
  for (const [name, what, unit, toReach] of shown)
    for (const [nth, figures] of load.entries()) {
      answer(
        rowOf({
          what: `${what}, ${figures["workers"]} workers${way === "pooled" ? " through PgBouncer" : ""}`,
          ours: figures[name] ?? Number.NaN,
          unit,
          ...(toReach !== undefined && { toReach }),
          floor: floorOf(loadBefore[nth]?.[name], nth > 0 ? load[0]?.[name] : undefined, "1 worker"),
        }),
      )
    }
}

function showGrowth(): void {
  const growth = measured(root, "fleet-growth.ts", sizes)
  const growthBefore = before === undefined ? [] : measured(before, "fleet-growth.ts", sizes)
  for (const [nth, { finished, ...figures }] of growth.entries()) {
    const fewest = nth > 0 ? growth[0] : undefined
    for (const [name, ours] of Object.entries(figures)) {
      if (!often.has(name)) continue
      const what = `${name}, with ${finished} finished sessions`
      const floor = floorOf(growthBefore[nth]?.[name], fewest?.[name], `${growth[0]?.["finished"]} sessions`)
      answer(rowOf({ what, ours, unit: "blocks", floor }))
    }
    if (!fewest) continue
    const grown = Object.entries(figures).filter(
      ([name, ours]) => ours > fewBlocks && ours > 2 * (fewest[name] ?? ours),
    )
    const note = grown.map(([name, ours]) => `${name} ${fewest[name]} to ${ours}`).join(", ")
    const what = `functions of the store that touch more than twice as much with ${finished} finished sessions`
    answer(rowOf({ what, ours: grown.length, unit: "", note }))
  }
}
