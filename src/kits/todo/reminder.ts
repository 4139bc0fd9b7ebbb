/** A hint when the task list was forgotten: after ten answers without it, and ten since the last hint. */

import type { Entry } from "#agent/words/entry.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Todo } from "#agent/words/todo.ts"
import { listed } from "./tool.ts"

const patience = 10

export interface TodoReminder {
  readonly onEntry: (entry: Entry) => void
  readonly due: (todos: readonly Todo[]) => string | undefined
}

export const reminderName = "todo_reminder"

export function openTodoReminder(): TodoReminder {
  let sinceWrite = 0
  let sinceReminder = patience
  let speaking = ""
  let wroteIn = ""
  return {
    onEntry(entry) {
      if (entry.kind === "reply") speaking = entry.messageId
      if (entry.kind === "todo") {
        sinceWrite = 0
        wroteIn = speaking
      }
      if (entry.kind === "attachment" && entry.name === reminderName) sinceReminder = 0
      if (entry.kind !== "reply_end") return
      // A call runs while its message is still streaming, so the message that wrote the list may end after it was written.
      if (entry.messageId !== wroteIn) sinceWrite++
      sinceReminder++
    },
    due(todos) {
      if (sinceWrite < patience || sinceReminder < patience) return undefined
      const state = todos.length === 0 ? "It is empty." : `It says:\n${escapeImitations(listed(todos))}`
      return `TodoWrite has not been used for a while. If the task has several steps, bring the list up to date; if not, ignore this. ${state}\nDo not mention this note to the user.`
    },
  }
}
