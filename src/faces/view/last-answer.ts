/** The last answer of the model, as it was written: for the clipboard. */

import type { Event } from "#agent/words/event.ts"

export interface LastAnswer {
  readonly onEvent: (event: Event) => void
  /** Copies the last answer if no text is given. */
  readonly copy: (text?: string) => void
}

/** Terminals truncate or reject more. */
const mostBytes = 74_000

export function openLastAnswer(parts: {
  readonly copy: (text: string) => void
  readonly note: (text: string, level: "info" | "error") => void
}): LastAnswer {
  const { copy, note } = parts
  let messageId: string | undefined
  let answer = ""
  return {
    onEvent(event) {
      if (event.type !== "entry" || event.entry.kind !== "reply" || event.entry.block.type !== "text") return
      const { block } = event.entry
      // Texts of one message belong together; calls between them do not.
      answer = messageId === event.entry.messageId ? `${answer}\n\n${block.text}` : block.text
      messageId = event.entry.messageId
    },
    copy(text = answer) {
      if (text === "") return note("There is no answer to copy yet.", "error")
      const what = text === answer ? "The last answer" : "The text"
      if (new TextEncoder().encode(text).length > mostBytes)
        return note(`${what} is too long for the terminal's clipboard.`, "error")
      copy(text)
      note(`${what} is in the clipboard, if the terminal allows it.`, "info")
    },
  }
}
