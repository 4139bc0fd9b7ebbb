/** Confines the parts of a command line that no rule names, beside those that one does. */

import type { Boundary, JudgedView } from "#agent/words/boundary.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Enclose, Enclosed } from "./enclose.ts"
import { folderOfPart, type PartStarter, starterFile, withConfinedParts } from "./line-parts.ts"
import type { ProcessFailure, Program } from "./processes/process-groups.ts"

export interface ConfinedLine extends Pick<Enclosed<Program>, "violations" | "finish"> {
  /** As it is run, with the functions that it needs. */
  readonly line: { readonly command: string; readonly functions?: string }
}

export interface PartConfinementParts {
  readonly enclose: Enclose
  /** For a command that nobody was asked about. */
  readonly env: (judged: JudgedView) => Program["env"]
  readonly ids: Ids
}

/** After a failure the line must not run. */
export type ConfineParts = (wanted: {
  readonly command: string
  readonly boundary: Boundary
  readonly callId: string | undefined
}) => Promise<Result<ConfinedLine, ProcessFailure>>

export function openPartConfinement({ enclose, env, ids }: PartConfinementParts): ConfineParts {
  return async ({ command, boundary, callId }) => {
    const within = boundary.by === "user" ? boundary : undefined
    const parts = within?.parts ?? []
    if (!within || parts.length === 0) return ok({ line: { command }, violations: () => [], finish: () => {} })
    const enclosed: Enclosed<Program>[] = []
    const starters: PartStarter[] = []
    const finish = (): void => enclosed.forEach((each) => each.finish())
    for (const { at, variables, boundary: own } of parts) {
      const program: Program = { file: starterFile, argv: [], cwd: folderOfPart, env: env(own) }
      const wanted = { program, boundary: own, within, needed: { reads: [], writes: [] }, canRepeat: false }
      const confined = await enclose({ ...wanted, ...optional("callId", callId) })
      if (!confined.ok) {
        finish()
        return failed(confined.failure)
      }
      enclosed.push(confined.value)
      starters.push({ at, variables, program: confined.value.program })
    }
    const line = withConfinedParts(command, starters, ids.uuid())
    return ok({ line, violations: () => enclosed.flatMap((each) => each.violations()), finish })
  }
}
