/** What the records of a fleet need to know of a session, folded from its events. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { SessionNews } from "./records.ts"

export interface Followed {
  readonly take: (entry: Entry) => void
  /** Whether a prompt with this id is in the log. */
  readonly has: (promptId: string) => boolean
  readonly title: () => string | undefined
  /** How it ended, for those who asked for it; nothing before the end of a turn. */
  readonly outcome: () => Required<Pick<SessionNews, "stage" | "result">> | undefined
}

export function openFollowed(): Followed {
  const prompts = new Set<string>()
  let title: string | undefined
  let end: End | undefined
  let text: string[] = []
  return {
    take(entry) {
      switch (entry.kind) {
        case "prompt":
        case "queued":
        case "command":
        case "unsent":
          prompts.add(entry.promptId)
          break
        case "turn_start":
          end = undefined
          text = []
          break
        case "result":
          text = []
          break
        case "reply":
          if (entry.block.type === "text") text.push(entry.block.text)
          break
        case "title":
          title = entry.text
          break
        case "turn_end":
          end = entry
          break
      }
    },
    has: (promptId) => prompts.has(promptId),
    title: () => title,
    outcome: () => end && outcomeOf(end, text.join("\n")),
  }
}

function outcomeOf({ reason, message }: End, text: string): Required<Pick<SessionNews, "stage" | "result">> {
  if (reason === "completed") return { stage: "completed", result: { ok: true, text } }
  if (reason === "aborted")
    return { stage: "completed", result: { ok: false, text: "Interrupted. Send a message to continue." } }
  return { stage: "failed", result: { ok: false, text: message ?? reason } }
}
