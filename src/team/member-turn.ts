/** What a member's own log says about its turns and its tasks. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import { taskName } from "./member-words.ts"

interface Unreported {
  readonly turnId: string
  readonly text: string
  /** It did what its prompt or a message asked for, which no task stands for. */
  readonly isNews: boolean
}

/** Talking about work is not doing it. */
const teamTools: ReadonlySet<string> = new Set(["SendMessage", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"])

export interface MemberTurn {
  readonly isOpen: () => boolean
  /** The last one that was begun. */
  readonly last: () => string | undefined
  /** The last message of a turn that nobody has been sent. */
  readonly unreported: () => Unreported | undefined
  readonly reported: () => void
  /** It wrote to somebody in this turn. */
  readonly sent: () => void
  readonly hasSent: () => boolean
  /** How the last turn ended, if it was not finished. */
  readonly brokenBy: () => End | undefined
  /** Whether it has heard what it was started for. */
  readonly isPrompted: () => boolean
  /** Whether it was given the task. */
  readonly knowsTask: (id: string) => boolean
  readonly onEntry: (entry: Entry) => void
}

export function openMemberTurn(): MemberTurn {
  const tasks = new Set<string>()
  let open: string | undefined
  let last: string | undefined
  let said: ReturnType<MemberTurn["unreported"]>
  let text = ""
  let messageId = ""
  let hasSent = false
  let hasWorked = false
  let isPrompted = false
  let broken: End | undefined
  return {
    isOpen: () => open !== undefined,
    last: () => last,
    unreported: () => said,
    reported: () => void (said = undefined),
    sent: () => void (hasSent = true),
    hasSent: () => hasSent,
    brokenBy: () => broken,
    isPrompted: () => isPrompted,
    knowsTask: (id) => tasks.has(id),
    onEntry(entry) {
      switch (entry.kind) {
        case "turn_start":
          open = entry.turnId
          last = entry.turnId
          text = ""
          hasSent = false
          hasWorked = false
          broken = undefined
          break
        case "prompt":
          isPrompted = true
          break
        case "result":
          hasWorked ||= !teamTools.has(entry.tool)
          break
        case "reply":
          if (entry.messageId !== messageId) text = ""
          ;({ messageId } = entry)
          if (entry.block.type === "text") text += entry.block.text
          break
        case "turn_end":
          open = undefined
          broken = entry.reason === "completed" ? undefined : entry
          said = broken ? undefined : { turnId: entry.turnId, text, isNews: hasWorked && tasks.size === 0 }
          break
        case "attachment":
          if (entry.name === taskName && typeof entry.data?.taskId === "string") tasks.add(entry.data.taskId)
          break
        default:
      }
    },
  }
}
