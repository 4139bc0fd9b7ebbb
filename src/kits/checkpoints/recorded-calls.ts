/** Commands whose changes are recorded while they run: nothing is scanned before or after them. See decision 147. */

import type { Call, Next } from "#agent/words/middleware.ts"
import { type Outcome, refused, withNote } from "#agent/words/tool.ts"
import type { RecordingPlace } from "#ground/sandbox/recording.ts"
import type { RefusedFile } from "#ground/snapshots/journal.ts"
import { sayFailure } from "#ground/snapshots/failure.ts"
import { notKeptWords } from "#ground/workspace/processes/process-groups.ts"
import type { CallRecording, Checkpoints } from "./checkpoints.ts"
import type { SnapshotKeeper } from "./keeper.ts"
import type { SnapshotMoment } from "./notes.ts"
import { stoppedWords, tooLargeWords } from "./words.ts"

export interface CommandRecorder {
  readonly covers: (command: string) => Promise<boolean>
  /** For the journals of this session. */
  readonly folder: string
  readonly place: (journal: string) => RecordingPlace
}

export interface RecordedCalls extends Pick<Checkpoints, "recording"> {
  /** Whether what these commands change is recorded. */
  readonly covers: (runs: readonly string[]) => Promise<boolean>
  /** Why a command cannot be undone, if it was stopped before for that reason. */
  readonly stoppedBy: (command: string) => string | undefined
  readonly run: (call: Call, next: Next) => Promise<Outcome>
}

export interface RecordedCallParts {
  readonly recorder: CommandRecorder | undefined
  readonly keeper: Pick<SnapshotKeeper, "keep" | "begin" | "openJournal">
  /** Calls that are only allowed because they can be undone. */
  readonly relying: Set<string>
  /** Scans everything; why that was not whole. */
  readonly scan: (moment: SnapshotMoment) => Promise<string | undefined>
  readonly show: (path: string) => string
}

export function openRecordedCalls({ recorder, keeper, relying, scan, show }: RecordedCallParts): RecordedCalls {
  const recordings = new Map<string, CallRecording>()
  /** By their commands, the files that stopped them. */
  const stopped = new Map<string, string>()

  async function run(call: Call, next: Next): Promise<Outcome> {
    const { callId } = call
    const named = { callId, call: call.tool.title(call.parsed) }
    const refusals: string[] = []
    let isScanned = false
    const onRefused = ({ path, bytes }: RefusedFile): void => {
      const file = tooLargeWords(show(path), bytes)
      refusals.push(file)
      stopped.set(commandOf(call.footprint.runs), file)
    }
    const before = await keeper.keep({ when: "before", ...named, paths: [] })
    if (relying.has(callId) && !before.ok) return refused(notKeptWords(sayFailure(before.failure)))
    recordings.set(callId, {
      journal: () => ({
        ...placeOf(keeper.openJournal({ ...named, onRefused })),
        keepsAll: relying.has(callId),
      }),
      async instead() {
        isScanned = true
        const why = await scan({ when: "before", ...named, signal: call.signal })
        return relying.has(callId) || call.signal.aborted ? why : undefined
      },
    })
    const end = keeper.begin()
    let outcome: Outcome
    try {
      outcome = await next(call)
    } finally {
      end()
      relying.delete(callId)
      recordings.delete(callId)
      await keeper.keep({ when: "after", ...named, ...(!isScanned && { paths: [] }) })
    }
    return refusals.length === 0 ? outcome : withNote(outcome, stoppedWords(refusals))
  }

  function placeOf(journal: string): RecordingPlace {
    if (!recorder) throw new Error("nothing is recorded here")
    return recorder.place(journal)
  }

  return {
    covers: async (runs) => runs.length > 0 && (await recorder?.covers(commandOf(runs))) === true,
    stoppedBy: (command) => stopped.get(command),
    run,
    recording: (callId) => recordings.get(callId),
  }
}

const commandOf = (runs: readonly string[]): string => runs.join("\n")
