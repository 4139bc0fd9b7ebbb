/** Tells the roster whether the lead is at work: in order, and to the end even if the session ends right after its turn. */

import type { Roster } from "#agent/words/team.ts"

export interface LeadState {
  readonly working: () => void
  /** `mailTo`: the last message that it has. */
  readonly idle: (mailTo: number) => void
  /** Resolves when all of it has been told. */
  readonly settled: () => Promise<void>
}

export function openLeadState(parts: {
  readonly name: string
  readonly roster: Pick<Roster, "working" | "idle">
  readonly onFailure: (error: unknown) => void
}): LeadState {
  const { name, roster, onFailure } = parts
  let last = Promise.resolve()
  const enqueue = (say: () => Promise<unknown>): void => {
    last = last.then(say).then(() => {}, onFailure)
  }
  return {
    working: () => enqueue(() => roster.working(name)),
    idle: (mailTo) => enqueue(() => roster.idle(name, mailTo)),
    settled: () => last,
  }
}
