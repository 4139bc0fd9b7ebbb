/** Records snapshots: each with its moment, and what the user should know, once. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type TakeEntry, byKind } from "#agent/words/follower.ts"
import type { Snapshot } from "#ground/snapshots/take.ts"
import { given } from "#lib/given.ts"
import { cutShort, notCovered, tooLargeWords } from "./words.ts"

type SnapshotTime = (EntryBody & { readonly kind: "snapshot" })["when"]

export interface SnapshotMoment {
  readonly when: SnapshotTime
  readonly callId?: string
  /** Scans only these; everything that is covered when absent. */
  readonly paths?: readonly string[]
  /** `known` scans only what was kept before, unless everything was. */
  readonly scope?: "known"
}

export interface Notes {
  readonly take: TakeEntry
  readonly last: () => string | undefined
  /** The next snapshot has the files as they were before this prompt. */
  readonly awaitPrompt: (promptId: string) => void
  readonly write: (moment: SnapshotMoment, snapshot: Snapshot) => void
  readonly tell: (level: "info" | "warning", text: string) => void
}

export function openNotes({
  record,
  show,
}: {
  readonly record: (body: EntryBody) => void
  readonly show: (path: string) => string
}): Notes {
  const waiting: string[] = []
  const told = new Set<string>()
  let last: string | undefined

  function tell(level: "info" | "warning", text: string): void {
    if (told.has(text)) return
    told.add(text)
    record({ kind: "notice", level, text })
  }

  return {
    tell,
    last: () => last,
    awaitPrompt: (promptId) => void waiting.push(promptId),
    take: byKind({
      notice: ({ text }) => void told.add(text),
      snapshot({ snapshotId, uncovered = [] }) {
        last = snapshotId
        for (const line of uncovered) told.add(line)
      },
    }),
    write(moment, { id: snapshotId, uncovered: left, look }) {
      const { when, callId } = moment
      const uncovered = [...left].map(([path, why]) => `${show(path)} (${why})`).filter((line) => !told.has(line))
      for (const promptId of waiting.splice(0))
        record({ kind: "snapshot", snapshotId, when: "prompt", promptId, uncovered })
      // A scan without a call that found nothing new is not worth an entry.
      const isIdle = when === "before" && callId === undefined && snapshotId === last
      if (when !== "prompt" && !isIdle)
        record({ kind: "snapshot", snapshotId, when, ...given("callId", callId), uncovered })
      if (uncovered.length > 0) tell("info", notCovered(uncovered))
      for (const line of uncovered) told.add(line)
      if (moment.paths === undefined && moment.scope === undefined && look === "named") tell("info", tooLargeWords)
      if (look === "cut") tell("info", cutShort)
    },
  }
}
