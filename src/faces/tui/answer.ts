/** The last answer of the model, as it was written: for the clipboard. */

import type { Event } from "#agent/words/event.ts"

export interface LastAnswer {
  readonly hear: (event: Event) => void
  readonly copy: () => void
}

/** Terminals cut off, or refuse, what is longer. */
const mostBytes = 74_000

export function openLastAnswer(parts: {
  readonly copy: (text: string) => void
  readonly tell: (text: string, level: "info" | "error") => void
}): LastAnswer {
  const { copy, tell } = parts
  let messageId: string | undefined
  let answer = ""
  return {
    hear(event) {
      if (event.type !== "entry" || event.entry.kind !== "reply" || event.entry.block.type !== "text") return
      const { block } = event.entry
      // Texts of one message belong together; calls between them do not.
      answer = messageId === event.entry.messageId ? `${answer}\n\n${block.text}` : block.text
      messageId = event.entry.messageId
    },
    copy() {
      if (answer === "") return tell("There is no answer to copy yet.", "error")
      if (Buffer.byteLength(answer) > mostBytes)
        return tell("The last answer is too long for the clipboard of a terminal.", "error")
      copy(answer)
      tell("The last answer is in the clipboard, if the terminal allows it.", "info")
    },
  }
}
