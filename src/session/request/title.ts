/** Names an unnamed session: asks the small model after the first turn, on the side. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import type { AskSmall } from "./small-model.ts"

export interface Titler {
  readonly onEntry: (entry: Entry) => void
  /** Nobody waits for a title; when this resolves, the cost of the attempt is recorded. */
  readonly close: () => Promise<void>
}

const mostAsked = 4_000
const mostTitle = 60

const system = `You name conversations between a developer and a coding agent. Answer with the name alone: three to seven words, in the language of the request, no quotes, no full stop.`

export function openTitler({
  ask,
  record,
  isAwake,
}: {
  readonly ask: AskSmall
  readonly record: (body: EntryBody) => void
  /** Whether entries happen now, rather than being read from the log. */
  readonly isAwake: () => boolean
}): Titler {
  const over = new AbortController()
  let request = ""
  let isNamed = false
  let isAsked = false
  let naming: Promise<void> | undefined

  async function name(): Promise<void> {
    const answer = await ask({ system, user: request.slice(0, mostAsked) }, over.signal)
    // The user may have named it in the meantime.
    if (over.signal.aborted || isNamed || !answer.ok) return
    const text = (answer.value.trim().split("\n")[0] ?? "").replaceAll(/^["'#*\s]+|["'*.\s]+$/g, "").slice(0, mostTitle)
    if (text !== "") record({ kind: "title", text, by: "model" })
  }

  return {
    onEntry(entry) {
      if (entry.kind === "title") isNamed = true
      if (entry.kind === "prompt" && request === "") request = textOf(entry.content)
      if (entry.kind !== "turn_end" || !isAwake() || isNamed || isAsked || request === "") return
      // One attempt: otherwise the session keeps its first prompt as its name.
      isAsked = true
      // The turn's own end is recorded first.
      naming = Promise.resolve().then(name)
    },
    async close() {
      over.abort()
      await naming
    },
  }
}
