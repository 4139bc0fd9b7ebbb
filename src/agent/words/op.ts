/** What a face may ask of a session. */

import type { PromptBlock } from "./message.ts"
import type { PermissionMode } from "./permission.ts"
import type { Answer } from "./question.ts"

export type Op =
  /** `steer` is delivered after the tools under way; `queue` when the turn ends. Either starts a turn when none runs. */
  | { readonly type: "prompt"; readonly content: readonly PromptBlock[]; readonly when: "steer" | "queue" }
  | { readonly type: "answer"; readonly questionId: string; readonly answer: Answer }
  /** `graceMs`: how long what runs may take to end, when the usual time is too long. */
  | { readonly type: "interrupt"; readonly graceMs?: number }
  | { readonly type: "set_mode"; readonly mode: PermissionMode }
  | { readonly type: "set_model"; readonly model: string }
