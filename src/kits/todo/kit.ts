/** The todo kit: the tools, and the hint when the list was forgotten. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Todo } from "#agent/words/todo.ts"
import { openTodoReminder, reminderName } from "./reminder.ts"
import { todoTools } from "./tool.ts"

export function todoKit({ record }: { readonly record: (body: EntryBody) => void }): Kit {
  const reminder = openTodoReminder()
  let todos: readonly Todo[] = []
  return {
    name: "todo",
    tools: todoTools({ todos: () => todos, keep: (next) => record({ kind: "todo", todos: next }) }),
    take(entry: Entry) {
      if (entry.kind === "todo") todos = entry.todos
      reminder.take(entry)
    },
    attachments(): Promise<readonly Attachment[]> {
      const text = reminder.due(todos)
      return Promise.resolve(text === undefined ? [] : [{ name: reminderName, text }])
    },
  }
}
