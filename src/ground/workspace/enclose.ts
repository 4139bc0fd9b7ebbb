/** The port through which commands are confined. */

import type { Boundary, UserBoundary } from "#agent/words/boundary.ts"
import type { Confinement, Violation } from "#agent/words/confinement.ts"
import type { Result } from "#lib/result.ts"
import type { ProcessFailure, Program } from "./processes/process-groups.ts"
import type { Needed } from "./shell-program.ts"

/** After a failure the program must not run. */
export type Enclose = <P extends Program>(wanted: EncloseWanted<P>) => Promise<Result<Enclosed<P>, ProcessFailure>>

export interface EncloseWanted<P extends Program> {
  readonly program: P
  readonly boundary: Boundary
  /** The boundary of the line that the program is a part of. */
  readonly within?: UserBoundary
  readonly needed: Needed
  readonly callId?: string
  /** It is enclosed and run once more if it was the first to be confined and that failed. */
  readonly canRepeat: boolean
}

export interface Enclosed<P extends Program> {
  readonly program: P
  readonly confinement: Confinement
  readonly violations: () => readonly Violation[]
  /** After the end: why the program itself was not even started, because the sandbox failed. */
  readonly failure: () => Promise<ProcessFailure | undefined>
  /** It is the first to be confined: after a failure it may be enclosed again, for then it is known what works here. */
  readonly isTrial: boolean
  readonly finish: () => void
  /** After `finish`: what was done about what commands left behind that would act outside, as sentences. */
  readonly leftBehind: () => Promise<readonly string[]>
}
