/** Hooks before a prompt is sent: they can refuse it, add to it, or refuse the command that it is. */

import { type PromptBlock, textOf } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"
import type { Dispatcher } from "./dispatch.ts"
import type { Starting } from "./starting.ts"
import { contextWords, expansionRefusedWords, promptRefusedWords } from "./words.ts"

export interface SubmittedPrompt {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
}

/** A slash command that is about to be expanded. */
export interface Expansion {
  readonly type: "slash_command" | "mcp_prompt"
  readonly name: string
  readonly args: string
  readonly source?: string
  readonly typed: string
  readonly promptId: string
}

export interface Prompting {
  readonly guardsPrompts: () => boolean
  /** Why a prompt must not be delivered; undefined if it may, or if nobody waits for it any more. */
  readonly beforePrompt: (prompt: SubmittedPrompt, signal: AbortSignal) => Promise<string | undefined>
  /** Why a command must not become a prompt; undefined if it may. */
  readonly beforeExpansion: (expansion: Expansion, signal: AbortSignal) => Promise<string | undefined>
}

export interface PromptingPorts extends Pick<Dispatcher, "fire" | "has"> {
  readonly starting: Pick<Starting, "isUnderWay" | "ready">
  readonly addContext: (text: string) => void
  readonly name: (title: string) => void
  /** Who submits prompts: a person, or a program. */
  readonly promptSource: "user" | "sdk"
  /** What one agent says to another is not a user's prompt. */
  readonly isAgent: boolean
}

export function openPrompting(ports: PromptingPorts): Prompting {
  const { fire, has, addContext, starting, isAgent } = ports
  return {
    guardsPrompts: () => starting.isUnderWay() || (!isAgent && has("UserPromptSubmit")),
    async beforePrompt({ promptId, content }, signal) {
      const unready = await starting.ready(signal)
      if (unready !== undefined) return promptRefusedWords(unready)
      if (isAgent || !has("UserPromptSubmit") || signal.aborted) return undefined
      const fields = { prompt: textOf(content), prompt_id: promptId, source: ports.promptSource }
      const fired = await fire({ event: "UserPromptSubmit", fields, promptId }, signal)
      if (signal.aborted) return undefined
      if (fired.verdict === "deny") return promptRefusedWords(fired.reason ?? "It gave no reason.")
      for (const context of fired.contexts) addContext(contextWords("UserPromptSubmit", context))
      if (fired.title !== undefined) ports.name(fired.title)
      return undefined
    },
    async beforeExpansion({ type, name, args, source, typed, promptId }, signal) {
      if (isAgent || !has("UserPromptExpansion") || signal.aborted) return undefined
      const fields = {
        expansion_type: type,
        command_name: name,
        command_args: args,
        ...optional("command_source", source),
        prompt: typed,
        prompt_id: promptId,
      }
      const fired = await fire({ event: "UserPromptExpansion", subjects: [name], fields, promptId }, signal)
      if (signal.aborted) return undefined
      if (fired.verdict === "deny") return expansionRefusedWords(name, fired.reason ?? "It gave no reason.")
      for (const context of fired.contexts) addContext(contextWords("UserPromptExpansion", context))
      return undefined
    },
  }
}
