/** The door to the sandbox: whether programs can be confined here, and a program confined. */

import type { Violation } from "#agent/words/confinement.ts"
import type { Result } from "#lib/result.ts"
import type { Policy } from "./policy.ts"

/** A program to start, as an absolute path and its arguments. */
export interface Enclosable {
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
}

export interface Confinable extends Enclosable {
  readonly env: Readonly<Record<string, string>>
}

export interface Sandbox {
  /** Found out by really confining a program; tried again after a failure, or when something went wrong since. */
  readonly check: (how?: "again") => Promise<Check>
  /** The same program, confined. After a failure it must not run. */
  readonly wrap: <P extends Confinable>(wanted: Wanted<P>) => Promise<Result<Confined<P>, Unconfinable>>
  /** Ends what stands behind the network and removes what is left. */
  readonly close: () => Promise<void>
}

export interface Wanted<P extends Confinable> {
  readonly program: P
  readonly policy: Policy
  /** Files of our own that it must be able to use, whatever the policy says. */
  readonly needed: { readonly reads: readonly string[]; readonly writes: readonly string[] }
  /** Whose connections these are, so that questions about hosts name the call. */
  readonly callId?: string
}

export interface Confined<P extends Confinable> {
  readonly program: P
  /** What it tried in vain so far, each once, in the order of the attempts. */
  readonly violations: () => readonly Violation[]
  /** Whether the program itself was started; when not, it was the sandbox that failed. */
  readonly started: () => boolean
  /** To be called when it has ended: removes placeholders and the report. */
  readonly finish: () => void
}

export type Check =
  | {
      readonly works: true
      readonly backend: "bubblewrap" | "seatbelt"
      /** Whether what was tried in vain is reported with its path. */
      readonly reports: boolean
    }
  | ({ readonly works: false } & Unconfinable)

/** Why nothing can be confined, and what to do about it, as sentences for people. */
export interface Unconfinable {
  readonly why: string
  readonly fix: string
}
