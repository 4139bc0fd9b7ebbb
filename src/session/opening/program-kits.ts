/** Kits of the program itself that need more than a session has: other sessions of the user, and workflows. */

import type { Kit } from "#agent/words/kit.ts"
import type { Clock } from "#lib/clock.ts"

export interface ProgramKitPorts {
  readonly sessionId: string
  readonly cwd: string
  readonly stateFolder: string
  readonly clock: Clock
}

export type OpenProgramKits = (ports: ProgramKitPorts) => readonly Kit[]

/** A fork lists the same tools as the session it continues; news are told to that session. */
export const toolsOf = (kits: readonly Kit[] | undefined): readonly Kit[] =>
  (kits ?? []).flatMap(({ name, tools }) => (tools ? [{ name, tools }] : []))
