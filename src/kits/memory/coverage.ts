/** How much of the current conversation the saved memory covers, and under which rules it was written. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConversationFollower } from "#agent/words/follower.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"
import { ruleAddedWords } from "./words.ts"

export interface MemoryState {
  /** The entry up to which the conversation was known when it was written. */
  readonly tip: string
  /** How many messages of the conversation it covers. */
  readonly covered: number
  /** The rules that hid files while everything in it was said. */
  readonly rules: readonly string[]
  /** What a compaction summarized that the memory does not have yet. */
  readonly gap?: string
  /** It was removed, and nothing is written in this session any more. */
  readonly closed?: true
}

export interface MemoryStore {
  /** The text as it is in the file, which the user may have edited. */
  readonly read: () => { readonly text: string; readonly state: MemoryState } | undefined
  /** The text stays as it is when absent. */
  readonly write: (state: MemoryState, text?: string) => Result<void, string>
}

export interface CoveragePorts {
  /** Rules that hide files, as text. */
  readonly rules: () => readonly string[]
  readonly store: MemoryStore
  /** Whether entries happen now, rather than being read from the log. */
  readonly isAwake: () => boolean
  readonly notify: (text: string) => void
}

export interface Coverage extends ConversationFollower {
  /** A new value when it changed. */
  readonly now: () => MemoryState
  /** What the memory says about this conversation; empty where there is none. */
  readonly text: () => string
  /** The last entry of the conversation. */
  readonly last: () => string | undefined
  readonly keep: (text: string, upTo: Pick<MemoryState, "tip" | "covered">) => void
  readonly keepRules: () => void
  readonly checkRules: () => void
}

export function openCoverage({ store, rules, isAwake, notify }: CoveragePorts): Coverage {
  let saved = store.read()
  /** Of this conversation: the saved one only if the conversation contains its tip. */
  let state = saved?.state.closed ? saved.state : blank(saved?.state.rules ?? rules())
  let hasText = false
  let last: string | undefined

  function save(next: MemoryState, text?: string): boolean {
    if (!store.write(next, text).ok) return false
    saved = { text: text ?? saved?.text ?? "", state: next }
    return true
  }

  /** The first message is what was carried over; a summary by somebody else is not in the memory yet. */
  function compacted({ uuid, by, summary }: Entry & { readonly kind: "compaction" }): void {
    const gap = by === "memory" && hasText ? state.gap : [state.gap, summary].filter(Boolean).join("\n\n")
    state = { ...blank(state.rules), tip: uuid, covered: 1, ...optional("gap", gap) }
    if (isAwake()) save(state)
  }

  return {
    now: () => state,
    text: () => (hasText ? (store.read()?.text ?? "") : ""),
    last: () => last,
    keep(text, upTo) {
      const next = { ...blank(state.rules), ...upTo }
      if (!save(next, text)) return
      state = next
      hasText = true
    },
    // They count from the beginning, also if the session is resumed before there is a memory.
    keepRules: () => void (saved === undefined && state.rules.length > 0 && save(state)),
    /** What was said before a rule hides something may quote it, in whatever words: so nothing of it is kept. */
    checkRules() {
      const hiding = rules()
      if (state.closed || hiding.every((rule) => state.rules.includes(rule))) return
      state = last === undefined ? blank(hiding) : { ...blank(state.rules), closed: true }
      hasText = false
      const hadText = saved !== undefined && saved.text !== ""
      if (hadText || state.closed) store.write(state, "")
      saved = { text: "", state }
      if (hadText) notify(ruleAddedWords)
    },
    reset() {
      if (!state.closed) state = blank(state.rules)
      hasText = false
      last = undefined
    },
    onEntry(entry) {
      if (!spoken.has(entry.kind)) return
      // Under which rules an older conversation was held is not known.
      if (saved === undefined && last === undefined && !isAwake()) state = blank([])
      last = entry.uuid
      if (state.closed) return
      if (saved?.state.tip === entry.uuid) {
        state = saved.state
        hasText = saved.text !== ""
      } else if (entry.kind === "compaction") compacted(entry)
    },
  }
}

/** What a conversation is made of. */
const spoken: ReadonlySet<Entry["kind"]> = new Set([
  "prompt",
  "attachment",
  "reply",
  "reply_end",
  "result",
  "shell",
  "compaction",
])

const blank = (rules: readonly string[]): MemoryState => ({ tip: "", covered: 0, rules })
