/** Delivers slash commands: recognizes a prompt that is one, runs it, and returns what the model is sent. */

import type { CommandUse } from "#agent/words/command.ts"
import type { End } from "#agent/words/end.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { Delivered } from "#kits/commands/deliver.ts"
import type { Expansion } from "#kits/hooks/prompting.ts"
import type { Commands } from "#kits/commands/kit.ts"
import type { TypedCommand } from "#kits/commands/recognise.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { WaitingPrompt } from "#session/journal/inbox.ts"
import type { OpFailure } from "#session/port/session.ts"

/** Without it, whatever begins with a slash is plain text. */
export type PromptCommands = Pick<Commands, "recognise" | "deliver" | "ownIn" | "expansionOf">

export interface PromptInput {
  readonly content: readonly PromptBlock[]
  readonly command?: CommandUse
  readonly as?: WaitingPrompt["as"]
}

type UnknownCommand = OpFailure & { readonly kind: "unknown_command" }

type Over = Omit<Delivered & { readonly kind: "over" }, "kind">

export interface CommandDelivery {
  readonly recognise: (op: PromptInput) => Result<"text" | "command", OpFailure>
  /** A prompt that looks like a command, is none, and is taken as text; with the names that are near. */
  readonly stranger: (op: PromptInput) => UnknownCommand | undefined
  /** A command as the prompt that the user would have typed. */
  readonly asPrompt: (op: Op & { readonly type: "command" }) => Result<Op & { readonly type: "prompt" }, OpFailure>
  readonly own: (waiting: WaitingPrompt) => TypedCommand | undefined
  /** Records the result of a command that the model is not told of, and returns how its turn ends. */
  readonly over: (waiting: WaitingPrompt, said: Over, signal: AbortSignal) => End
  /** What is sent to the model, or how the turn ends without it; undefined for anything but a command. */
  readonly deliver: (waiting: WaitingPrompt, signal: AbortSignal) => Promise<PromptInput | End> | undefined
}

export function openCommandDelivery({
  commands,
  unknown,
  record,
  guard,
  failure,
}: {
  readonly commands: PromptCommands | undefined
  /** What becomes of a command that there is not. Programs send text that only looks like one. */
  readonly unknown: "refused" | "text"
  readonly record: (body: EntryBody) => void
  /** Why a command must not become a prompt, if so. */
  readonly guard?: ((expansion: Expansion, signal: AbortSignal) => Promise<string | undefined>) | undefined
  /** Why nothing can be recorded, if so: then nothing is carried out either. */
  readonly failure: () => unknown
}): CommandDelivery {
  const recognised = ({ content, command, as }: PromptInput): ReturnType<PromptCommands["recognise"]> | undefined =>
    command || as === "text" ? undefined : commands?.recognise(content)

  function known(said: PromptInput): Result<"text" | "command", UnknownCommand> {
    const found = recognised(said)
    if (!found) return ok("text")
    return found.ok ? found : failed({ kind: "unknown_command", ...found.failure })
  }

  async function carryOut(to: PromptCommands, waiting: WaitingPrompt, signal: AbortSignal): Promise<PromptInput | End> {
    const expansion = guard && to.expansionOf(waiting.content)
    const why = expansion && (await guard({ ...expansion, promptId: waiting.promptId }, signal))
    if (why !== undefined && expansion)
      return over(waiting, { typed: expansion.typed, text: why, isError: true }, signal)
    const said = await to.deliver(waiting, signal)
    if (said.kind === "over") return over(waiting, said, signal)
    return { content: said.content, ...optional("command", said.use) }
  }

  /** The model is not told: the command was answered, did nothing, or was interrupted. */
  function over({ promptId }: WaitingPrompt, said: Over, signal: AbortSignal): End {
    const { typed, text, isError } = said
    record({ kind: "command", promptId, typed, text, isError })
    if (signal.aborted) return { reason: "aborted" }
    return isError ? { reason: "error", cause: "command", message: text } : { reason: "completed" }
  }

  return {
    recognise(said) {
      const found = known(said)
      return found.ok || unknown === "refused" ? found : ok("text")
    },
    stranger(said) {
      const found = known(said)
      return found.ok ? undefined : found.failure
    },
    over,
    own: ({ command, content, as }) => (command || as === "text" || failure() ? undefined : commands?.ownIn(content)),
    asPrompt({ name, args, promptId }) {
      const content = [{ type: "text", text: `/${name} ${args}`.trim() }] as const
      const found = known({ content })
      if (!found.ok) return found
      if (found.value === "text") return failed({ kind: "unknown_command", name, near: [] })
      return ok({ type: "prompt", content, when: "queue", ...optional("promptId", promptId) })
    },
    deliver(waiting, signal) {
      if (!commands || failure()) return undefined
      // A command that existed when it was typed, and no longer does, ends its turn.
      const found = waiting.command ? undefined : known(waiting)
      return found?.ok && found.value === "text" ? undefined : carryOut(commands, waiting, signal)
    },
  }
}
