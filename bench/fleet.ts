/**
 * What do workers cost their database, idle and at work, when there are many of them, and when many sessions are finished? With
 * CODEWRIGHT_BENCH_BEFORE, a folder with the sources of an earlier version, that one is measured beside it.
 */

import { copyFileSync, mkdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { hasPostgres } from "../test/kit/database/postgres-server.ts"
import { answer, rowOf } from "./kit/row.ts"

const root = resolve(import.meta.dir, "..")
const before = process.env["CODEWRIGHT_BENCH_BEFORE"]
const [workers, sizes] = ["1,4,16", "1000,30000"]

type Figures = { readonly [name: string]: number }

/** The same program in another version. */
function measured(folder: string, kit: string, ...args: readonly string[]): readonly Figures[] {
  if (folder !== root)
    for (const file of [`bench/kit/${kit}`, "bench/kit/counted-wire.ts", "test/kit/fleet/many-rows.ts"]) {
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

const shown: readonly (readonly [name: string, what: string, unit: string, toReach?: number])[] = [
  ["idleStatements", "statements a second of an idle worker", "", 1],
  ["connections", "connections of an idle worker, at most", "", 2],
  ["statements", "statements of a session", "", 40],
  ["transactions", "transactions of a session", "", 30],
  ["notifications", "notifications of a session, as they arrive", "", 3],
  ["attempts", "attempts to take a session", "", 2],
]

if (hasPostgres) {
  const load = measured(root, "fleet-load.ts", workers, "15000")
  const loadBefore = before === undefined ? [] : measured(before, "fleet-load.ts", workers, "15000")
  for (const [name, what, unit, toReach] of shown)
    for (const [nth, figures] of load.entries()) {
      const value = loadBefore[nth]?.[name]
      answer(
        rowOf({
          what: `${what}, ${figures["workers"]} workers`,
          ours: figures[name] ?? Number.NaN,
          unit,
          ...(toReach !== undefined && { toReach }),
          ...(value !== undefined && { floor: { name: "before", value } }),
        }),
      )
    }
  const growth = measured(root, "fleet-growth.ts", sizes)
  const growthBefore = before === undefined ? [] : measured(before, "fleet-growth.ts", sizes)
  for (const [nth, { finished, ...figures }] of growth.entries())
    for (const [name, ours] of Object.entries(figures)) {
      const value = growthBefore[nth]?.[name]
      const what = `${name}, with ${finished} finished sessions`
      answer(rowOf({ what, ours, unit: "ms", ...(value !== undefined && { floor: { name: "before", value } }) }))
    }
} else answer(rowOf({ what: "workers and their database (needs Postgres)", ours: Number.NaN, unit: "ms" }))
