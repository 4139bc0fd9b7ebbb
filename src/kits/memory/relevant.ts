/** Attaches notes that a prompt is about, and keeps secrets out of the agent's own notes. */

import type { Kit } from "#agent/words/kit.ts"
import { textOf } from "#agent/words/message.ts"
import { refused } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"
import { isBelow } from "#lib/lies-in.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import { type Note, notesAbout } from "./rank.ts"
import { closedNotesWords, relevantWords, secretWords } from "./words.ts"

export interface RelevantPorts {
  /** Notes that may be shown under the rules of now. */
  readonly notes: () => readonly Note[]
  /** Where the agent writes its own notes. */
  readonly folder: string | undefined
  /** Whether a rule was added that hides what the conversation may have shown. */
  readonly isClosed: () => boolean
  readonly isAwake: () => boolean
}

const name = "relevant_memory"

export function relevantMemoryKit({ notes, folder, isClosed, isAwake }: RelevantPorts): Kit {
  let prompt: string | undefined
  let attachedKeys = new Set<string>()
  return {
    name,
    conversation: {
      reset: () => void (attachedKeys = new Set()),
      onEntry(entry) {
        if (entry.kind === "prompt" && isAwake()) prompt = textOf(entry.content)
        if (entry.kind === "compaction") attachedKeys = new Set()
        if (entry.kind === "attachment" && entry.name === name)
          for (const key of keysIn(entry.data)) attachedKeys.add(key)
      },
    },
    attachments() {
      const asked = prompt
      prompt = undefined
      if (asked === undefined) return []
      const found = notesAbout(asked, notes()).filter(({ key }) => !attachedKeys.has(key))
      if (found.length === 0) return []
      const shown = found.map(({ path, text }) => ({ path, text: maskSecrets(text) }))
      return [{ name, text: relevantWords(shown), data: { sections: found.map(({ key }) => key) } }]
    },
    async middleware(call, next) {
      const { writes } = call.footprint
      const isNote = folder !== undefined && writes.some((path) => path === folder || isBelow(path, folder))
      if (isNote && isClosed()) return refused(closedNotesWords)
      if (isNote && hasSecret(call.input)) return refused(secretWords)
      return next(call)
    },
  }
}

const keysIn = (data: JsonObject | undefined): readonly string[] =>
  Array.isArray(data?.sections) ? data.sections.filter((key) => typeof key === "string") : []

const hasSecret = (input: JsonObject): boolean =>
  Object.values(input).some((value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return maskSecrets(text) !== text
  })
