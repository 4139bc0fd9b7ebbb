/** Brings a session that ended in the middle into order: what was under way is told, what was unanswered is answered. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Waiting } from "./inbox.ts"

export interface Repair {
  /** What must be recorded so that the log is whole again. */
  readonly bodies: readonly EntryBody[]
  /** Prompts that were accepted and never delivered. */
  readonly undelivered: readonly Waiting[]
}

export function repair(entries: readonly Entry[]): Repair {
  const bodies: EntryBody[] = []
  const open = new Map<string, { tool: string; intent: boolean }>()
  const waiting = new Map<string, Waiting>()
  let turn: string | undefined

  for (const entry of entries) {
    switch (entry.kind) {
      case "reply":
        if (entry.block.type === "tool_use") open.set(entry.block.id, { tool: entry.block.name, intent: false })
        break
      case "intent": {
        const call = open.get(entry.callId)
        if (call) call.intent = true
        break
      }
      case "result":
        open.delete(entry.callId)
        break
      case "queued":
        waiting.set(entry.promptId, { promptId: entry.promptId, content: entry.content, when: entry.when })
        break
      case "prompt":
        waiting.delete(entry.promptId)
        break
      case "turn_start":
        turn = entry.turnId
        break
      case "turn_end":
        turn = undefined
        break
    }
  }

  for (const [callId, { tool, intent }] of open)
    bodies.push({ kind: "result", callId, tool, isError: true, durationMs: 0, content: intent ? underWay : notRun })
  if (turn !== undefined)
    bodies.push({ kind: "turn_end", turnId: turn, reason: "aborted", message: "The program ended during this turn." })
  return { bodies, undelivered: [...waiting.values()] }
}

const underWay =
  "Interrupted: the program ended while this was running. It may have taken effect in part or in whole; look before you repeat it."
const notRun = "Not run: the program ended before this started."
