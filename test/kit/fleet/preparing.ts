/**
 * `bun preparing.ts <json>`: makes a clone in a process of its own, which a test kills, and prepares its environment. Prints what was said, and `done` or why
 * not.
 */

import { join } from "node:path"
import { openRunSetup } from "#faces/cli/fleet/run-setup.ts"
import { openEnvironments } from "#fleet/work/environments.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { openSources } from "#ground/workspace/source/sources.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

export interface Preparing {
  readonly folder: string
  readonly source: string
  readonly name: string
  readonly setup: string
}

const { folder, source, name, setup } = JSON.parse(process.argv[2] ?? "{}") as Preparing
const scratch = join(folder, `scratch-${name}`)
const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 500, drainMs: 100 })
const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") }
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const sources = openSources({ processes, env: () => env, cache: join(folder, "mirrors"), clock: systemClock })
const environments = openEnvironments({
  settings: [{ repository: folder, setup }],
  sources,
  cache: join(folder, "environments"),
  clock: systemClock,
  run: openRunSetup({ env, processes, secretFiles: [], signal: new AbortController().signal }),
  report: say,
})
say("ready")
const base = await sources.resolve(source, undefined)
if (!base.ok) throw new Error(base.failure)
const own = join(folder, `clone-${name}`)
const checkout = {
  url: source,
  base: base.value,
  branch: "x",
  tree: join(own, "tree"),
  keeper: join(own, "keeper.git"),
}
const made = await sources.make(checkout)
if (!made.ok) throw new Error(made.failure)
const prepared = await environments.prepare(checkout)
say(prepared.ok ? "done" : prepared.failure)
await processes.close()
