/** The sandbox port: whether programs can be confined here, and how to confine one. */

import type { Violation } from "#agent/words/confinement.ts"
import type { Result } from "#lib/result.ts"
import type { Policy } from "./policy.ts"
import type { RecordingPlace } from "./recording.ts"

export interface Enclosable {
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
}

export interface Confinable extends Enclosable {
  readonly env: Readonly<Record<string, string>>
}

export interface Sandbox {
  /** Found out by actually confining a program; tried again after a failure, or when something went wrong since. */
  readonly check: (how?: "again") => Promise<SandboxCheck>
  /** Whether nothing has been confined yet, so that it is not known whether anything can be. */
  readonly isUntried: () => boolean
  /** After a failure the program must not run. */
  readonly wrap: <P extends Confinable>(wanted: Wanted<P>) => Promise<Result<Confined<P>, Unconfinable>>
  /** Stops the network and removes leftovers. */
  readonly close: () => Promise<void>
}

export interface Wanted<P extends Confinable> {
  readonly program: P
  readonly policy: Policy
  /** Our own files that it must be able to use, whatever the policy says. */
  readonly needed: { readonly reads: readonly string[]; readonly writes: readonly string[] }
  /** The call that makes the connections, so that questions about hosts name it. */
  readonly callId?: string
  /**
   * It may be the first program to be confined, without a check before it. If it fails, whoever wants it must check:
   * it may not have been started, or only with half a sandbox, and nothing else would say so.
   */
  readonly isTrial?: boolean
  /** Where what it changes is recorded; only where the check says that this is possible. */
  readonly recording?: RecordingPlace
}

export interface Confined<P extends Confinable> {
  readonly program: P
  /** What was blocked so far, each once, in order. */
  readonly violations: () => readonly Violation[]
  /** Whether the program itself was started; if not, the sandbox failed. */
  readonly started: () => boolean
  /** It ran as it should, so anything can be confined here. */
  readonly confirm: () => void
  /** Call when it has ended. */
  readonly finish: () => void
}

export type SandboxCheck =
  | {
      readonly works: true
      readonly backend: "bubblewrap" | "seatbelt"
      /** Whether blocked attempts are reported with their path. */
      readonly reports: boolean
      /** Whether what a program changes can be recorded. */
      readonly records?: true
    }
  | ({ readonly works: false } & Unconfinable)

/** Why nothing can be confined, and what to do about it, as sentences for the user. */
export interface Unconfinable {
  readonly why: string
  readonly fix: string
}
