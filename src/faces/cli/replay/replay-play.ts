/** Plays a session again in a scene that was made ready: the same words, today's program, files and clock of then. */

import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import type { Model } from "#agent/words/model.ts"
import { refused, type Outcome } from "#agent/words/tool.ts"
import { factsByName } from "#ground/models/by-name.ts"
import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { homeFolder } from "#ground/settings/state-folder.ts"
import { isTrusted } from "#ground/settings/trust.ts"
import { onDemand } from "#ground/transcript/on-demand.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { openStoredLog } from "#ground/transcript/stored-log.ts"
import { openPrices } from "#kits/budget/prices.ts"
import type { RuleText } from "#kits/permissions/rules/rule.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openReplayedTeam } from "#team/replayed.ts"
import { openSession } from "#session/open.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { recordedMemory } from "#session/replay/recorded-memory.ts"
import type { UserAct } from "#session/replay/acts.ts"
import { openSameChance } from "#session/replay/chance.ts"
import { openSetClock } from "#session/replay/clock.ts"
import type { Comparison, Substitution } from "#session/replay/compare.ts"
import { replay } from "#session/replay/replay.ts"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { openPersonsChanges } from "./replay-changes.ts"
import type { Job } from "./replay-job.ts"
import { replayedKits } from "./replayed-kits.ts"
import { settledOptions } from "#faces/cli/flags/session-options.ts"
import { readSetting } from "#faces/cli/startup-context.ts"

export async function play(job: Job, signal: AbortSignal): Promise<Result<Comparison, string>> {
  const stored = openStoredLog(join(job.base, "original.jsonl"))
  if (!stored.ok) return failed("The copy of the log cannot be read.")
  const original = stored.value.list()
  const copies = { root: join(job.base, "workspace"), state: join(job.base, "state") }
  const root = job.inPlace ? job.cwd : copies.root
  const state = job.inPlace ? job.state : copies.state
  const entries = job.inPlace ? original : original.map(relocation(job.cwd, copies.root))
  const options = await optionsOf(job, entries, { root, state })
  if (!options.ok) return options
  const clock = openSetClock(entries[0]?.at ?? systemClock.now(), systemClock)
  const changes = openPersonsChanges({ entries, folder: job.history, from: job.cwd, to: root })
  let log: string | undefined
  const played = await replay({
    original,
    spoken: entries,
    async open(port) {
      const opened = await openSession({ ...options.value(port), team: openReplayedTeam, clock })
      if (opened.ok) log = (await opened.value.ask({ type: "about" })).logPath
      return opened
    },
    replayed: () => entriesAt(log),
    substitutions: job.inPlace ? [] : substitutions(job, copies),
    async before(act: UserAct) {
      clock.set(act.at)
      await changes.before(act)
    },
    clock: systemClock,
    signal,
  })
  return played.ok ? played : failed(played.failure.message)
}

async function optionsOf(
  job: Job,
  entries: readonly Entry[],
  { root, state }: { readonly root: string; readonly state: string },
): Promise<Result<(port: Model) => Omit<SessionOptions, "clock">, string>> {
  const parsed = parseArguments(job.argv, flags)
  if (!parsed.ok) return failed(parsed.failure.message)
  const home = homeFolder(readEnvironment(processEnvironment()))
  const args = trusting(parsed.value, isTrusted({ state: job.state, home }, job.cwd))
  const setting = await readSetting(args, root)
  if (!setting.ok) return failed(setting.failure.message)
  const face = hadSomeone(entries) ? "terminal" : "headless"
  const settled = await settledOptions(args, setting.value, face)
  if (!settled.ok) return failed(settled.failure.message)
  const { options } = settled.value
  const { permissions } = options
  const begun = entries.find((entry) => entry.kind === "mode")
  const model = entries.find((entry) => entry.kind === "model")?.model ?? ""
  const results = new Map(entries.flatMap((entry) => (entry.kind === "result" ? [[entry.callId, entry] as const] : [])))
  return ok((port) => ({
    ...options,
    id: job.id,
    log: { kind: "new" },
    sessionLogs: openSessionLogs({ projects: join(state, "projects"), slug: job.slug }),
    place: { ...options.place, cwd: root, stateFolder: state },
    manner: {
      ...options.manner,
      ...(startedWithServers(entries) && { patienceMs: { servers: Number.POSITIVE_INFINITY } }),
    },
    model: { port, id: model, given: false, small: model, factsOf: factsByName, prices: openPrices() },
    permissions: {
      ...permissions,
      mode: permissions.modeGiven ? permissions.mode : (begun?.mode ?? permissions.mode),
      // Among the copies nothing can be broken, so what was allowed then may be done again.
      bypassAvailable: job.inPlace || permissions.bypassAvailable,
      rules: [...permissions.rules, ...spokenRules(entries, permissions.rules)],
    },
    memory: { ...options.memory, session: false, recorded: recordedMemory(entries) },
    programKits: replayedKits(entries, setting.value),
    recorded: (callId) => outcomeOf(results.get(callId)),
    ids: openSameChance(job.id, entries),
  }))
}

function outcomeOf(result: (Entry & { kind: "result" }) | undefined): Outcome {
  if (!result || result.denied) return refused("This would reach the network, and the log has no answer to it.")
  const { content, isError, display, data } = result
  return { content, isError, ...(display && { display }), ...(data && { data }) }
}

/** Users read and type while servers connect; a replay has to wait for those that the first request had. */
const startedWithServers = (entries: readonly Entry[]): boolean =>
  entries.find((entry) => entry.kind === "setup")?.tools.some(({ name }) => name.startsWith("mcp__")) === true

/** A plan is offered only if someone can approve it. */
const hadSomeone = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => entry.kind === "setup" && entry.tools.some(({ name }) => name === "EnterPlanMode"))

/** Rules given on the command line are part of what happened; those that decided nothing are not needed. */
function spokenRules(entries: readonly Entry[], known: readonly RuleText[]): readonly RuleText[] {
  const said = entries.flatMap((entry): readonly RuleText[] =>
    entry.kind === "decision" && entry.reason.kind === "rule" && entry.reason.source === "command line"
      ? [{ behavior: entry.behavior, text: entry.reason.rule, source: "command line" }]
      : [],
  )
  const all = new Map(said.map((rule) => [`${rule.behavior} ${rule.text}`, rule]))
  return [...all.values()].filter(
    ({ behavior, text }) => !known.some((rule) => rule.behavior === behavior && rule.text === text),
  )
}

const trusting = (args: Arguments<FlagName>, isKnown: boolean): Arguments<FlagName> => ({
  ...args,
  has: (name) => (name === "trust" && isKnown) || args.has(name),
})

function relocation(from: string, to: string): (entry: Entry) => Entry {
  const inJson = (path: string): string => JSON.stringify(path).slice(1, -1)
  const named = new RegExp(`${inJson(from).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w.-])`, "g")
  const moved = <E extends Entry>(entry: E): E =>
    JSON.parse(JSON.stringify(entry).replaceAll(named, () => inJson(to))) as E
  return (entry) => (entry.kind === "result" ? onDemand(moved(entry), () => moved(entry)) : moved(entry))
}

const substitutions = (
  { cwd, state }: Job,
  copies: { readonly root: string; readonly state: string },
): readonly Substitution[] => [
  [copies.root, cwd],
  [copies.state, state],
]

function entriesAt(path: string | undefined): readonly Entry[] {
  const log = path === undefined ? undefined : openStoredLog(path)
  return log?.ok ? log.value.list() : []
}
