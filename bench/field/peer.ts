/** What the benchmark needs to know of an agent: how it is installed and started, and how its tools are called. */

import type { FieldPlace } from "./place.ts"
import type { Call } from "./model.ts"

/** A feature that an agent lacks, as the table says it. */
export interface Missing {
  readonly missing: string
}

export interface Situation {
  readonly place: FieldPlace
  /** Where the scripted model listens. */
  readonly url: string
}

export interface Undone {
  /** What was printed by the run that is undone. */
  readonly printed: string
  readonly situation: Situation
  /** Runs the program itself, with more arguments and variables. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>
}

export interface Peer {
  readonly id: string
  readonly title: string
  readonly version: string
  /** Where its flags and settings are documented, as they were read for this version; absent for our own. */
  readonly documentation?: string
  /** Exact versions, as npm takes them; none for our own program. */
  readonly packages: readonly string[]
  /** How its executable is started, once installed in this folder. */
  readonly program: (installed: string) => readonly string[]
  /** Which wire format it speaks here, for the table. */
  readonly wire: string
  /** Requests that offer this tool belong to the conversation. */
  readonly shellTool: string
  readonly shell: (command: string) => Call
  readonly read: (path: string) => Call
  /** Absent where it writes files with its shell. */
  readonly write?: (path: string, content: string) => Call
  /** Settings that have to be in files. */
  readonly prepare?: (situation: Situation) => void
  readonly env: (situation: Situation) => Readonly<Record<string, string>>
  /** Allowed to do everything, so that nothing waits for an answer. */
  readonly work: (prompt: string, situation: Situation) => readonly string[]
  /** The newest session of the folder continues. */
  readonly resume: (prompt: string, situation: Situation) => readonly string[]
  readonly plan: ((prompt: string, situation: Situation) => readonly string[]) | Missing
  /** Said beside the figure where plan mode is something else here. */
  readonly planNote?: string
  readonly budget: ((prompt: string, dollars: number, situation: Situation) => readonly string[]) | Missing
  /** Restores the files as they were before the last prompt. */
  readonly undo: ((undone: Undone) => Promise<void>) | Missing
}

export const isMissing = (feature: unknown): feature is Missing =>
  typeof feature === "object" && feature !== null && "missing" in feature
