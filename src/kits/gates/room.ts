/** What the agents of a session share about its gates: which there are, how far it is, and where facts are recorded. */

import type { GateFact, Gates } from "#agent/words/gates.ts"
import type { GateProgress } from "./progress.ts"

export type NoteGate = (fact: GateFact) => void

/** An agent has its parent's. */
export interface GateRoom {
  readonly gates: Gates
  readonly progress: () => GateProgress
  readonly note: NoteGate
  /** The task was asked about, and nobody could answer: it cannot become clear in this run. */
  readonly isUnanswered: () => boolean
  /** Digests of the files that the user saw and allowed before a call created them. */
  readonly seen: (callId: string) => ReadonlySet<string> | undefined
}

export const isClarifying = ({ gates, progress }: GateRoom): boolean =>
  gates.clarify === true && progress().clarified === undefined

/** Whether anything but tests may not be changed yet. */
export function isBeforeTests({ gates, progress }: GateRoom): boolean {
  const { tests } = progress()
  return gates.testFirst === true && (tests === undefined || tests === "written")
}
