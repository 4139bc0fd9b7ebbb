/** A worker of a fleet in this process: what it needs of settings, models and this machine. */

import { hostname } from "node:os"
import { join } from "node:path"
import { gateNames, type Gates } from "#agent/words/gates.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok } from "#lib/result.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { openProcesses } from "#ground/workspace/process.ts"
import { openSources } from "#ground/workspace/source.ts"
import type { ServerSettings } from "#ground/settings/settings.ts"
import type { OpenFleetSession, OpeningAsk } from "#fleet/opening.ts"
import type { SessionGates } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { startWorker, type Worker, type WorkerTimes } from "#fleet/worker.ts"
import { openWorkplaces } from "#fleet/workplace.ts"
import { parseArguments } from "./argv.ts"
import { flags } from "./flags.ts"
import type { SettledOptions } from "./session-options.ts"
import { readSetting } from "./setting.ts"
import { startSession } from "./start.ts"
import type { Where } from "./where.ts"

export interface WorkerHere {
  readonly store: FleetStore
  readonly where: Pick<Where, "home" | "state">
  readonly slots: number
  readonly labels: readonly string[]
  readonly report: (text: string) => void
  readonly settings: Pick<ServerSettings, "pushBranches" | "approvalHours">
  readonly times?: Partial<WorkerTimes>
}

export async function startWorkerHere(here: WorkerHere): Promise<Worker> {
  const { store, where, slots, labels, report } = here
  const { pushBranches = false, approvalHours } = here.settings
  const approvalMs = approvalHours === undefined ? undefined : approvalHours * 3_600_000
  const folder = join(where.state, "fleet")
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: join(folder, `git-${process.pid}`),
    graceMs: 1_000,
    drainMs: 500,
  })
  const env = (): { [name: string]: string } => childEnvironment(processEnvironment())
  const worker = await startWorker({
    store,
    open: openFleetSession,
    workplaces: openWorkplaces({
      store,
      sources: openSources({ processes, env, cache: join(folder, "sources") }),
      folder: join(where.home, ".local", "share", "codewright", "fleet"),
      host: hostname(),
      publishes: pushBranches,
      report,
    }),
    scratch: folder,
    me: { pid: process.pid, host: hostname(), slots, labels },
    clock: systemClock,
    ids: systemIds,
    report,
    times: { ...here.times, approvalMs },
  })
  return {
    ...worker,
    async close() {
      await worker.close()
      await processes.close()
    },
  }
}

/** As a run without a screen would be, in the folder of the session. */
const openFleetSession: OpenFleetSession = async (ask) => {
  const args = parseArguments(argumentsOf(ask), flags)
  if (!args.ok) return failed(args.failure.message)
  const setting = await readSetting(args.value, ask.cwd)
  if (!setting.ok) return failed(setting.failure.message)
  const started = await startSession(args.value, setting.value, "headless", {
    asks: "client",
    which: { id: ask.record.id, log: ask.log, shelf: ask.shelf },
    watched: ask.watched,
    shape: (options) => shaped(options, ask),
  })
  return started.ok ? ok(started.value) : failed(started.failure.message)
}

function argumentsOf({ record: { mode, model, opening }, log }: OpeningAsk): readonly string[] {
  const { budgetUsd } = opening
  return [
    // Later on, the log says in which mode it is.
    ...(log.kind === "new" ? ["--permission-mode", mode] : []),
    ...(model === "" ? [] : ["--model", model]),
    ...(budgetUsd === undefined ? [] : ["--max-budget-usd", String(budgetUsd)]),
  ]
}

const gatesIn = (gates: SessionGates = {}): Gates =>
  Object.fromEntries(gateNames.flatMap((name) => (gates[name] === true ? [[name, true]] : [])))

const shaped = (options: SettledOptions, { record, plans, copy, onCall }: OpeningAsk): SettledOptions => ({
  ...options,
  copy,
  onCall,
  plan: { ...options.plan, folder: plans },
  gates: gatesIn(record.opening.gates),
})
