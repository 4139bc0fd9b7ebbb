/** Brings a session read from its log up to date: repairs what was running, and reports what lapsed. */

import { isSameBudget } from "#agent/words/budget.ts"
import { isSameThinking } from "#agent/words/thinking.ts"
import type { ChildFact } from "#agent/words/child.ts"
import { continuedIn } from "#agent/words/continued-calls.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import { modeNames } from "#agent/words/mode-names.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { fingerprint } from "#ground/workspace/fingerprint.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import { optional } from "#lib/optional.ts"
import { newFolders } from "#session/opening/folders.ts"
import { lastOpening } from "#session/opening/opening.ts"
import type { Ground } from "#session/adapters/ground.ts"
import type { Inbox } from "#session/journal/inbox.ts"
import { withoutUnused } from "#session/journal/asked.ts"
import { restatedEntries } from "#session/journal/journal.ts"
import { budgetOf, type SessionOptions } from "#session/opening/options.ts"
import type { Questions } from "#session/journal/questions.ts"
import { repair, type RepairPorts, type Unfinished } from "#session/journal/repair.ts"
import { agentPlace } from "#ground/transcript/agent-place.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { leftOpenIn } from "#session/journal/left-open.ts"

export interface WakeParts {
  readonly options: Pick<
    SessionOptions,
    "place" | "permissions" | "model" | "log" | "limits" | "manner" | "forkedFrom" | "isTransient"
  >
  readonly ground: Ground
  readonly entries: readonly Entry[]
  readonly record: (body: EntryBody) => void
  readonly ledger: Ledger
  readonly inbox: Inbox
  readonly questions: Questions
  readonly state: () => SessionState
  /** What came of calls that were begun before the program ended. */
  readonly came: ReadonlyMap<string, Outcome>
}

export interface Woken {
  readonly notes: readonly string[]
  readonly unfinished?: Unfinished
  readonly agents: readonly ChildFact[]
}

export function wake(parts: WakeParts): Woken {
  const { options, ground, entries, record, ledger, inbox, questions, state } = parts
  const { place, permissions, model } = options
  const restated = restatedEntries(entries)

  for (const [who, spent] of Object.entries(state().agents)) ledger.book({ who, ...spent })
  const known = [...restated, ...entries]
  const why = (options.log.kind === "resume" ? options.log.why : undefined) ?? "the program ended"
  questions.remember(options.forkedFrom ? withoutUnused(known) : known)
  const { bodies, undelivered, unfinished, agents, begunAgain } = repair(
    [...restated, ...entries],
    repairPorts({
      canAskAgain: options.manner.asks !== "nobody",
      asked: questions.asked,
      why,
      sessionFolder: ground.sessionFolder,
      outcomeOf: (callId) => parts.came.get(callId),
      // Both sessions would continue it.
      continued: options.forkedFrom ? undefined : continuedIn(known),
    }),
  )
  questions.withdraw(begunAgain, why)
  for (const body of bodies) record(body)
  for (const waiting of undelivered) inbox.add(waiting)
  const added = newFolders(place.addedFolders, entries)
  if (added.length > 0) record({ kind: "folders", added })
  if (options.log.kind === "new") {
    // What a session begins with is logged too: a resume continues with it, whatever the settings say by then.
    record({ kind: "mode", mode: state().mode })
    record({ kind: "model", model: state().model, why: "start" })
  }
  const moved = isMoved(options, known)
  if (moved) for (const body of withdrawnGrants(known)) record(body)
  // A log must not grant a freedom that nobody grants now.
  const lapsed = state().mode === "bypassPermissions" && !permissions.bypassAvailable
  const stays = moved && state().mode !== permissions.mode ? [movedNote(state().mode, permissions.mode)] : []
  if ((permissions.modeGiven || lapsed || moved) && state().mode !== permissions.mode)
    record({ kind: "mode", mode: permissions.mode })
  if (model.given !== false && state().model !== model.id) record({ kind: "model", model: model.id, why: "chosen" })
  const budget = budgetOf(options.limits)
  const isBudgetGiven = budget.usd !== undefined || budget.tokens !== undefined
  if (isBudgetGiven && !isSameBudget(state().budget, budget)) record({ kind: "budget", budget })
  const { thinking, thinkingGiven } = options.limits
  if (thinkingGiven && !isSameThinking(state().thinking, thinking)) record({ kind: "thinking", thinking })
  // The last working folder may be gone by now, or off limits when the session is resumed elsewhere.
  const { cwd } = state()
  if (cwd !== place.cwd && !(ground.isAllowedFolder(cwd) && ground.isFolder(cwd)))
    record({ kind: "cwd", path: place.cwd })
  return { notes: lapsed ? [lapsedNote(permissions.mode)] : stays, agents, ...optional("unfinished", unfinished) }
}

/** Asks whoever keeps a store about calls that were begun and have no result. A store that cannot be asked tells nothing. */
export async function outcomesOfCalls(
  entries: readonly Entry[],
  kits: readonly Pick<Kit, "outcomeOf">[],
): Promise<ReadonlyMap<string, Outcome>> {
  const came = new Map<string, Outcome>()
  const asked = kits.flatMap(({ outcomeOf }) => outcomeOf ?? [])
  if (asked.length === 0) return came
  for (const { use, files, agent } of leftOpenIn([...restatedEntries(entries), ...entries]).open.values()) {
    if (files === undefined && agent === undefined) continue
    for (const outcomeOf of asked) {
      const outcome = await outcomeOf(use).catch(() => undefined)
      if (outcome) came.set(use.id, outcome)
    }
  }
  return came
}

/** Whether an agent waits is told by its own log, not by its parent's. */
function repairPorts(known: {
  readonly canAskAgain: boolean
  readonly asked: Questions["asked"]
  readonly why: string
  readonly sessionFolder: string
  readonly outcomeOf?: RepairPorts["outcomeOf"]
  readonly continued?: RepairPorts["continued"]
}): RepairPorts {
  return {
    fingerprint,
    ...known,
    agent(agentId) {
      const place = agentPlace(known.sessionFolder, agentId)
      const loaded = place && loadTail(place.log, { torn: "leave" })
      if (!loaded?.ok) return undefined
      const { entries } = loaded.value
      const own = repairPorts({ ...known, outcomeOf: () => undefined, sessionFolder: place?.folder ?? "" })
      return repair([...restatedEntries(entries), ...entries], own)
    },
  }
}

/**
 * Whether it continues in another folder than it was last opened in. A session of a fleet brings its folder along, whatever
 * that is called there.
 */
function isMoved({ place, log, isTransient }: WakeParts["options"], known: readonly Entry[]): boolean {
  if (isTransient || (log.kind === "resume" && log.folder !== undefined)) return false
  const before = lastOpening(known)?.place.cwd
  return before !== undefined && before !== place.cwd
}

/** What was allowed in one folder is not allowed in another. */
function withdrawnGrants(known: readonly Entry[]): readonly EntryBody[] {
  const rules = new Set<string>()
  for (const entry of known) {
    if (entry.kind !== "grant" || entry.destination !== "session" || (entry.behavior ?? "allow") !== "allow") continue
    if (entry.gone) rules.delete(entry.rule)
    else rules.add(entry.rule)
  }
  return [...rules].map((rule) => ({ kind: "grant", rule, destination: "session", gone: true }))
}

const movedNote = (before: PermissionMode, now: PermissionMode): string =>
  `This session was in ${modeNames[before]} mode in another folder. Here it continues in ${modeNames[now]} mode.`

const lapsedNote = (mode: PermissionMode): string =>
  `The session ran in bypass mode, which is not enabled now: it continues in ${mode} mode.`
