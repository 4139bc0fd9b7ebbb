/** A built-in command that came as a prompt: performs what it asks for, and answers with what it shows. */

import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { Result } from "#lib/result.ts"
import type { Slash } from "#session/port/command.ts"
import { doneText } from "#session/slash/done.ts"

export interface OwnCommandParts {
  readonly slash: Slash
  /** Resolves when the op has finished; the failure is a message for the user. */
  readonly perform: (op: Op, signal: AbortSignal) => Promise<Result<void, string>>
}

export type OwnOutcome =
  /** The rest goes to the model. */
  | { readonly kind: "prompt"; readonly content: readonly PromptBlock[] }
  | { readonly kind: "over"; readonly text: string; readonly isError: boolean }

export async function carryOutOwn(
  { slash, perform }: OwnCommandParts,
  { name, args }: { readonly name: string; readonly args: string },
  signal: AbortSignal,
): Promise<OwnOutcome> {
  const { text = "", isError = false, ops = [] } = (await slash(name, args)) ?? {}
  const done: string[] = []
  for (const op of ops) {
    if (op.type === "prompt") return { kind: "prompt", content: op.content }
    const came = await perform(op, signal)
    if (!came.ok) return { kind: "over", text: came.failure, isError: true }
    done.push(doneText(op))
  }
  return { kind: "over", text: text === "" ? done.join("\n") : text, isError }
}
