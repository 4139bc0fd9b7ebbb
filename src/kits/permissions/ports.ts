/** What permissions need from the session. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Grant, PermissionMode, PermissionUpdate } from "#agent/words/permission.ts"
import type { AddWords, Answer, QuestionAsk } from "#agent/words/question.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import type { ExcludedFolder } from "#ground/workspace/excluded-folders.ts"
import type { LazyCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import type { Result } from "#lib/result.ts"
import type { Auto } from "./auto.ts"
import type { AskHook } from "./hook-answers.ts"
import type { GateStanding } from "./gates.ts"
import type { Grants } from "./grants.ts"
import type { RealPath, Workspace } from "./paths.ts"
import type { PermissionRule } from "./rules/rule.ts"
import type { WallsPort } from "./walls.ts"

export type DecisionBody = Extract<EntryBody, { readonly kind: "decision" }>
export type PermissionBody = Extract<EntryBody, { readonly kind: "decision" | "grant" | "notice" }>

export interface PermissionPorts {
  /** The current rules, without later grants; a new array when they changed. */
  readonly rules: () => readonly PermissionRule[]
  readonly mode: () => PermissionMode
  /** The gates that are closed now; none when absent. */
  readonly gates?: () => GateStanding
  readonly workspace: () => Workspace
  readonly cwd: () => string
  /**
   * Follows the paths of one decision; links may change before the next. What a call has declared leads where it did
   * then, since the call touches that place or nothing: `parsed` is its input.
   */
  readonly realPaths: (parsed?: unknown) => RealPath
  readonly analyzer?: LazyCommandAnalyzer
  readonly walls: WallsPort
  /** Asks whoever can answer; `unanswered` if there is nobody or the signal aborts. */
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /** Whether anybody would see the question, or has seen it before; assumed when absent. What nobody sees is not counted or drawn. */
  readonly isShown?: (callId: string) => boolean
  /** A decision is recorded before the call runs. */
  readonly record: (body: PermissionBody) => void
  /** Saves a rule to a settings file; the failure is a message for the user. When absent, no rule can be saved. */
  readonly save?: (grant: Grant) => Result<void, string>
  /** Answers instead of the user, or leaves it to them; asked first, even if nobody is there. */
  readonly hook?: AskHook
  /** Answers in auto mode; when absent, the user does. */
  readonly auto?: Auto
  /** Counts what a command would destroy; only present if the folder is trusted, since it runs git. */
  readonly countAtRisk?: CountAtRisk
  /** Why undo would not cover what a command changes; when absent, it does. */
  readonly uncovered?: (callId: string, command: string, signal: AbortSignal) => Promise<string | undefined>
  /** Folders that a setting excludes from undo. */
  readonly exclusions?: readonly ExcludedFolder[]
  readonly commandRules?: () => readonly string[]
  /** What some tools of an agent are limited to; these rules allow nothing by themselves. */
  readonly limits?: readonly PermissionRule[]
  readonly commandDenials?: () => readonly string[]
  /** Applies what an answer permits beyond the call: another mode, further folders. */
  readonly widen?: (wider: { readonly mode?: PermissionMode; readonly folders?: readonly string[] }) => void
  /** No answer can change the mode, so none is offered. */
  readonly hasFixedMode?: boolean
  /** Applies what an answer changes beyond that. */
  readonly update?: (updates: readonly PermissionUpdate[]) => Promise<void>
  readonly addWords?: AddWords
  /** Grants shared with another session; its own when absent. */
  readonly grants?: Grants
}
