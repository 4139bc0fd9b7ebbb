/** What was done since a plan was approved, folded from entries: for the watch over the plan and for its summary. */

import type { Entry } from "#agent/words/entry.ts"
import { isDone, outsidePlan, plannedItems, type PlanItem } from "./contract.ts"
import type { PlanExtract } from "#agent/words/plan-extract.ts"
import { attachmentNames } from "./phase.ts"

export interface Progress {
  /** What running calls are about to change, by call id. */
  readonly intents: ReadonlyMap<string, readonly string[]>
  readonly writes: readonly string[]
  readonly commands: readonly string[]
  /** Already announced as outside the plan. */
  readonly announced: readonly string[]
  /** Calls that the user was just asked about. */
  readonly consented: readonly string[]
  readonly isVerifyTold: boolean
  readonly isMoved: boolean
}

export const noProgress: Progress = {
  intents: new Map(),
  writes: [],
  commands: [],
  announced: [],
  consented: [],
  isVerifyTold: false,
  isMoved: false,
}

export function foldProgress(progress: Progress, entry: Entry): Progress {
  switch (entry.kind) {
    case "plan":
      return entry.change === "approved" || entry.change === "forgotten" ? noProgress : progress
    case "intent":
      return {
        ...progress,
        intents: withOne(
          progress.intents,
          entry.callId,
          entry.files.map(({ path }) => path),
        ),
      }
    case "decision":
      return entry.behavior === "allow" && entry.reason.kind === "person"
        ? { ...progress, consented: [...progress.consented, entry.callId] }
        : progress
    case "result":
      return ended(progress, entry)
    case "attachment":
      return foldAttachment(progress, entry)
    case "turn_end":
      return { ...progress, isMoved: false }
    default:
      return progress
  }
}

function ended(progress: Progress, { callId, isError, display }: Entry & { kind: "result" }): Progress {
  const intents = without(progress.intents, callId)
  const consented = progress.consented.filter((id) => id !== callId)
  if (isError) return { ...progress, intents, consented }
  const command = display?.kind === "terminal" ? [display.command] : []
  return {
    ...progress,
    intents,
    consented,
    writes: [...new Set([...progress.writes, ...(progress.intents.get(callId) ?? [])])],
    commands: [...new Set([...progress.commands, ...command])],
    isMoved: progress.isMoved || command.length > 0 || progress.intents.has(callId),
  }
}

function foldAttachment(progress: Progress, { name, data }: Entry & { kind: "attachment" }): Progress {
  if (name === attachmentNames.verify) return { ...progress, isVerifyTold: true }
  if (name !== attachmentNames.outside || !Array.isArray(data?.outside)) return progress
  const items = data.outside.filter((item) => typeof item === "string")
  return { ...progress, announced: [...new Set([...progress.announced, ...items])] }
}

/** Which items of a plan were done, which were not, and what was done outside of it. */
export interface PlanSummary {
  readonly done: readonly PlanItem[]
  readonly skipped: readonly PlanItem[]
  readonly added: readonly PlanItem[]
}

export function summarize(extract: PlanExtract, { writes, commands }: Progress, root: string): PlanSummary {
  const items = plannedItems(extract)
  const made = { writes, commands }
  return {
    done: items.filter((item) => isDone(item, made, root)),
    skipped: items.filter((item) => !isDone(item, made, root)),
    added: outsidePlan(extract, { writes, commands: [] }, root),
  }
}

const withOne = <T>(map: ReadonlyMap<string, T>, key: string, value: T): ReadonlyMap<string, T> =>
  new Map([...map, [key, value]])

const without = <T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> =>
  new Map([...map].filter(([id]) => id !== key))
