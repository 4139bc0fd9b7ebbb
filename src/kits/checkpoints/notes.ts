/** Records snapshots: each with its moment, and what the user should know, once. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import type { Snapshot } from "#ground/snapshots/snapshot-writer.ts"
import type { PathState } from "#ground/snapshots/state.ts"
import { optional } from "#lib/optional.ts"
import { gapWords, notCovered } from "./words.ts"

type SnapshotTime = (EntryBody & { readonly kind: "snapshot" })["when"]

export interface SnapshotMoment {
  readonly when: SnapshotTime
  readonly callId?: string
  /** The title of that call. */
  readonly call?: string
  /** Scans only these; everything that is covered when absent. */
  readonly paths?: readonly string[]
  /** Only these, without the folders on the way, and with their times. */
  readonly how?: "exact"
  /** What they were just restored to. */
  readonly restored?: ReadonlyMap<string, PathState>
  /** Of whoever waits for it, and may not want to any more. */
  readonly signal?: AbortSignal
  /** `known` scans only what was kept before, unless everything was. */
  readonly scope?: "known"
}

export interface Notes {
  readonly onEntry: OnEntry
  readonly last: () => string | undefined
  /** The next snapshot has the files as they were before this prompt. */
  readonly awaitPrompt: (promptId: string) => void
  readonly write: (moment: SnapshotMoment, snapshot: Snapshot) => void
  /** Nothing was kept around a call. */
  readonly writeFailure: (moment: SnapshotMoment, why: string) => void
  readonly note: (level: "info" | "warning", text: string) => void
}

export function openNotes({
  record,
  show,
}: {
  readonly record: (body: EntryBody) => void
  readonly show: (path: string) => string
}): Notes {
  const waiting: string[] = []
  const reportedTexts = new Set<string>()
  let last: string | undefined
  /** The call after which the last snapshot was taken. */
  let lastAfter: string | undefined

  function recordNotice(level: "info" | "warning", text: string): void {
    if (reportedTexts.has(text)) return
    reportedTexts.add(text)
    record({ kind: "notice", level, text })
  }

  return {
    note: recordNotice,
    last: () => last,
    awaitPrompt: (promptId) => void waiting.push(promptId),
    onEntry: byKind({
      notice: ({ text }) => void reportedTexts.add(text),
      snapshot({ snapshotId, when, callId, uncovered = [] }) {
        if (snapshotId !== "") last = snapshotId
        lastAfter = when === "after" ? callId : undefined
        for (const line of uncovered) reportedTexts.add(line)
      },
    }),
    writeFailure({ when, callId, call }, why) {
      if (callId === undefined || call === undefined) return
      record({ kind: "snapshot", snapshotId: last ?? "", when, callId, uncovered: [], gap: { call, why } })
    },
    write(moment, { id: snapshotId, uncovered: left, why: reason }) {
      const { when, callId, call } = moment
      const gap = reason !== undefined && call !== undefined ? { call, why: reason } : undefined
      const uncovered = [...left]
        .map(([path, why]) => `${show(path)} (${why})`)
        .filter((line) => !reportedTexts.has(line))
      for (const promptId of waiting.splice(0))
        record({ kind: "snapshot", snapshotId, when: "prompt", promptId, uncovered })
      // A scan without a call that found nothing new is not worth an entry.
      const isKnown = when === "after" && callId !== undefined && callId === lastAfter && gap === undefined
      const isIdle = snapshotId === last && ((when === "before" && callId === undefined) || isKnown)
      if (when !== "prompt" && !isIdle)
        record({
          kind: "snapshot",
          snapshotId,
          when,
          ...optional("callId", callId),
          uncovered,
          ...optional("gap", gap),
        })
      if (uncovered.length > 0) recordNotice("info", notCovered(uncovered))
      for (const line of uncovered) reportedTexts.add(line)
      if (gap) recordNotice("warning", gapWords(gap.why))
    },
  }
}
