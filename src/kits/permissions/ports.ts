/** What the permissions need of the session around them. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Grant, PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import type { LazySight } from "#ground/workspace/shell-sight.ts"
import type { Result } from "#lib/result.ts"
import type { Auto } from "./auto.ts"
import type { AskHook } from "./by-hook.ts"
import type { Grants } from "./grants.ts"
import type { RealPath, Workspace } from "./paths.ts"
import type { PermissionRule } from "./rule.ts"
import type { WallsPort } from "./walls.ts"

/** A decision as the log keeps it. */
export type DecisionBody = Extract<EntryBody, { readonly kind: "decision" }>
/** What this kit adds to the log. */
export type PermissionBody = Extract<EntryBody, { readonly kind: "decision" | "grant" | "notice" }>

export interface PermissionPorts {
  /** The rules in force now, without what was granted since; another list when they changed. */
  readonly rules: () => readonly PermissionRule[]
  readonly mode: () => PermissionMode
  readonly workspace: () => Workspace
  readonly cwd: () => string
  readonly realPath: RealPath
  /** Reads shell commands; loaded at the first one. Without it none is understood. */
  readonly sight?: LazySight
  /** What confines commands. */
  readonly walls: WallsPort
  /** Brings a question to whoever can answer; `unanswered` when there is nobody or the signal aborts. */
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /**
   * Whether anybody would see the question, or has seen it before; without it somebody would. What nobody sees is not
   * counted or drawn.
   */
  readonly isShown?: (callId: string) => boolean
  /** Keeps a fact; a decision is kept before the call runs. */
  readonly record: (body: PermissionBody) => void
  /** Writes a rule to a settings file; the failure is a sentence for the user. Without it nothing is granted for good. */
  readonly save?: (grant: Grant) => Result<void, string>
  /** Answers instead of the user where it wants to, or hands on; asked before them, also where nobody is there. */
  readonly hook?: AskHook
  /** Answers in the mode auto; without it the user does. */
  readonly auto?: Auto
  /** Counts what a command would destroy; only given where the folder is trusted, since it asks git. */
  readonly countAtRisk?: CountAtRisk
  /** Rules, as written, that the command of this turn brings along: `allowed-tools`. None when it brings none, or is over. */
  readonly commandRules?: () => readonly string[]
  /** What an agent may use some of its tools for at all; these rules allow nothing by themselves. */
  readonly limits?: readonly PermissionRule[]
  /** Rules that it denies: `disallowed-tools`. */
  readonly commandDenials?: () => readonly string[]
  /** Permits what an answer permits besides the call: another mode, further folders. */
  readonly widen?: (wider: { readonly mode?: PermissionMode; readonly folders?: readonly string[] }) => void
  /** Rules that are given while someone is asked, where they are shared with another session; of its own when absent. */
  readonly grants?: Grants
}
