/** A worker of a fleet in this process: what it needs of settings, models and this machine. */

import { hostname } from "node:os"
import { dirname, join, resolve } from "node:path"
import { gateNames, type Gates } from "#agent/words/gates.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Network } from "#lib/network.ts"
import { failed, ok } from "#lib/result.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { openSources } from "#ground/workspace/source/sources.ts"
import type { ServerSettings } from "#ground/settings/settings.ts"
import { openEnvironments } from "#fleet/work/environments.ts"
import type { OpenFleetSession, OpeningAsk } from "#fleet/work/opening.ts"
import type { SessionGates } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import { removeErased } from "#fleet/work/remove-erased.ts"
import { movedKit } from "#fleet/work/moved-words.ts"
import { tidyOnce, type TidyParts } from "#fleet/work/tidy.ts"
import { startWorker, type Worker, type WorkerTimes } from "#fleet/work/worker.ts"
import { openWorkplaces } from "#fleet/work/workplace.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import type { StartFailure } from "#faces/cli/failure.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { type FleetConfinement, confineSession, confinementProblem } from "./fleet-confinement.ts"
import type { SettledOptions } from "#faces/cli/flags/session-options.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"
import type { Where } from "#faces/cli/where.ts"
import { limitedSetup, limitsHere, type SessionLimits } from "./limits-here.ts"
import { openRunSetup } from "./run-setup.ts"
import { withoutServerSecrets } from "./server-secrets.ts"

export interface WorkerHere {
  readonly store: FleetStore
  readonly where: Pick<Where, "home" | "state">
  readonly slots: number
  readonly labels: readonly string[]
  readonly report: (text: string) => void
  readonly settings: ServerSettings
  /** Where its sessions have their folders, instead of what the settings say. */
  readonly workplaces?: string | undefined
  readonly times?: Partial<WorkerTimes>
  /** That of the process, with the keys that were taken out of it. */
  readonly env?: RawEnvironment
  readonly confinement: FleetConfinement
  readonly network: Network
}

export async function startWorkerHere(here: WorkerHere): Promise<Worker> {
  const { store, where, slots, labels, report } = here
  const { pushBranches = false, approvalHours, trees = {} } = here.settings
  const workplaces = workplacesOf(here)
  const approvalMs = approvalHours === undefined ? undefined : approvalHours * 3_600_000
  const folder = join(where.state, "fleet")
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: join(folder, `git-${process.pid}`),
    graceMs: 1_000,
    drainMs: 500,
  })
  const cache = join(folder, "sources")
  const raw = here.env ?? processEnvironment()
  const env = (): { [name: string]: string } => childEnvironment(raw)
  const sources = openSources({ processes, env, cache, clock: systemClock })
  const ending = new AbortController()
  const sessionEnv = withoutServerSecrets(raw, here.settings)
  const { limits: share } = here.settings
  const limits = await limitsHere({ limits: share, workplaces, state: where.state, report })
  const environments = openEnvironments({
    settings: here.settings.environments ?? [],
    sources,
    cache: join(folder, "environments"),
    clock: systemClock,
    run: limitedSetup(limits, (launcher) => {
      // Whoever can push to a repository may say what is run: it sees no session's files either.
      const secretFiles = [...here.confinement.secretFiles, workplaces]
      return openRunSetup({ env: sessionEnv, processes, secretFiles, signal: ending.signal, launcher })
    }),
    report,
  })
  const worker = await startWorker({
    store,
    open: (ask) =>
      openLimited(ask, limits, (asked, launcher) =>
        openFleetSession(asked, { ...here, raw: sessionEnv, launcher, workplaces }),
      ),
    workplaces: openWorkplaces({
      store,
      sources,
      folder: workplaces,
      state: where.state,
      host: hostname(),
      publishes: pushBranches,
      limits: {
        smallBytes: (trees.smallMb ?? 32) * 1_000_000,
        mostBytes: (trees.mostMb ?? 256) * 1_000_000,
        large: trees.large ?? "database",
      },
      environments,
      report,
    }),
    async openPull(url, wish) {
      const { openPullsHere } = await import("./forges-here.ts")
      const { forges = [] } = here.settings
      return openPullsHere({ forges, network: here.network, env: raw, home: where.home })(url, wish)
    },
    scratch: folder,
    me: { pid: process.pid, host: hostname(), slots, labels, workplaces },
    quotas: here.settings.quotas,
    clock: systemClock,
    ids: systemIds,
    report,
    times: { ...here.times, approvalMs },
  })
  const tidyParts: TidyParts = {
    store,
    sources,
    cache,
    report,
    folder: workplaces,
    state: where.state,
    clock: systemClock,
    unusedMs: (trees.days ?? 14) * 86_400_000,
    mostBytes: (trees.diskGb ?? 50) * 1_000_000_000,
    signal: ending.signal,
  }
  const tidying = tidyNowAndThen(tidyParts, () => environments.tidy(tidyParts))
  const erasing = eraseWhenTold(tidyParts, store)
  return {
    ...worker,
    async close() {
      ending.abort()
      await erasing()
      await tidying
      await worker.close()
      await processes.close()
    },
  }
}

/** What was erased goes from this machine at once, not only when it is tidied. Returns how to end that. */
function eraseWhenTold(parts: TidyParts, store: Pick<FleetStore, "watchErased">): () => Promise<void> {
  let removing: Promise<void> = Promise.resolve()
  const remove = (): void => {
    removing = removing
      .then(() => removeErased(parts))
      .catch((error: unknown) => parts.report(`An erased session could not be removed: ${String(error)}`))
  }
  const stop = store.watchErased(remove)
  return () => {
    stop()
    return removing
  }
}

/** Not at once: a start should be quick. */
const firstTidyMs = 60_000
const tidyMs = 6 * 3_600_000

async function tidyNowAndThen(parts: TidyParts, more: () => Promise<void>): Promise<void> {
  const { signal, clock, report } = parts
  for (let pauseMs = firstTidyMs; !signal.aborted; pauseMs = tidyMs) {
    await clock.sleep(pauseMs, signal)
    if (signal.aborted) return
    await tidyOnce(parts)
      .then(more)
      .catch((error: unknown) => report(`The worker could not tidy up: ${String(error)}`))
  }
}

/** Paths in a session are those of its first machine, so they should be the same on all of them. */
function workplacesOf({ workplaces, settings, where }: WorkerHere): string {
  const wish = workplaces ?? settings.workplaces
  if (wish === undefined) return join(where.home, ".local", "share", "codewright", "fleet")
  return resolve(wish.replace(/^~(?=\/|$)/, where.home))
}

/** In a share of the machine of its own, which ends with it. */
async function openLimited(
  ask: OpeningAsk,
  limits: SessionLimits,
  open: (ask: OpeningAsk, launcher: readonly string[] | undefined) => ReturnType<OpenFleetSession>,
): ReturnType<OpenFleetSession> {
  const share = limits.open(ask.record.id)
  if (!share.ok) return share
  const { launcher, note, close } = share.value
  // It is said at the beginning, and to nobody again.
  const notes = note === undefined || ask.log.kind !== "new" ? ask.notes : [...ask.notes, note]
  const opened = await open({ ...ask, notes }, launcher)
  if (!opened.ok) {
    await close()
    return opened
  }
  return ok({
    ...opened.value,
    async close(...how) {
      await opened.value.close(...how)
      await close()
    },
  })
}

/** As a run without a screen would be, in the folder of the session. */
async function openFleetSession(
  ask: OpeningAsk,
  {
    report,
    raw,
    confinement,
    launcher,
    workplaces,
  }: Pick<WorkerHere, "report" | "confinement"> & {
    readonly raw: RawEnvironment
    readonly workplaces: string
    readonly launcher: readonly string[] | undefined
  },
): ReturnType<OpenFleetSession> {
  const args = parseArguments(argumentsOf(ask), flags)
  if (!args.ok) return failed(args.failure.message)
  const setting = await readSetting(args.value, ask.cwd, "as kept", raw)
  if (!setting.ok) return failed(setting.failure.message)
  const isConfined = ask.record.opening.confined === true
  const problem = confinementProblem(isConfined, confinement)
  if (problem !== undefined) return failed(problem)
  const confine = <T extends Pick<SettledOptions, "place" | "sandbox">>(options: T): T => {
    const own = dirname(ask.plans)
    const places = [...new Set([workplaces, dirname(own)])]
    const confined = confineSession(options, { isConfined, reads: ask.reads, own, places }, setting.value, confinement)
    return launcher === undefined ? confined : { ...confined, place: { ...confined.place, launcher } }
  }
  if (ask.record.opening.member) {
    const { openFleetMember } = await import("./fleet-member.ts")
    return openFleetMember(ask, args.value, setting.value, { report, confine })
  }
  const started = await startSession(args.value, setting.value, "headless", {
    asks: "client",
    which: { id: ask.record.id, log: ask.log, sessionLogs: ask.sessionLogs },
    watched: ask.watched,
    teams: ask.teams,
    members: ask.members,
    shape: (options) => confine(shaped(options, ask)),
  })
  return started.ok ? ok(started.value) : failed(startFailureWords(started.failure))
}

/** Whoever reads it has no command line, but a field for the model. */
const startFailureWords = ({ kind, message }: StartFailure): string =>
  kind === "no_model"
    ? `${message.replace(/ To try the built-in simulator: .*$/, "")} Do that where the server or worker runs, and start it again. To try things out without one, choose the model sim for a new session.`
    : message

function argumentsOf({ record, mode, budgetUsd }: OpeningAsk): readonly string[] {
  const { model, opening } = record
  const { openGates = [] } = opening
  // Its log says in which mode it is; that it may be in this one is said at every wake.
  const mayBypass = opening.mayBypass === true || record.mode === "bypassPermissions"
  return [
    ...(mode === undefined ? [] : ["--permission-mode", mode]),
    ...(mayBypass ? ["--allow-dangerously-skip-permissions"] : []),
    ...(model === "" ? [] : ["--model", model]),
    ...(budgetUsd === undefined ? [] : ["--max-budget-usd", String(budgetUsd)]),
    ...(openGates.length === 0 ? [] : ["--open-gates", openGates.join(",")]),
  ]
}

const gatesIn = (gates: SessionGates = {}): Gates =>
  Object.fromEntries(gateNames.flatMap((name) => (gates[name] === true ? [[name, true]] : [])))

/** What is asked for at every wake is nothing new: what was switched since counts. */
const shaped = (
  { namedGates: _named, ...options }: SettledOptions,
  { record, plans, worktrees, copy, onCall, onRun, notes }: OpeningAsk,
): SettledOptions => ({
  ...options,
  place: { ...options.place, worktrees },
  ...(notes.length > 0 && { notices: notes, kits: [...(options.kits ?? []), movedKit(notes)] }),
  copy,
  onCall,
  onRun,
  plan: { ...options.plan, folder: plans },
  gates: { ...options.gates, ...gatesIn(record.opening.gates) },
})
