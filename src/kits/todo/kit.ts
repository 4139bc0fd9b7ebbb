/** The todo kit: the tools, the list again when the model may not know it, and a hint when it was forgotten. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Todo } from "#agent/words/todo.ts"
import { openTodoReminder, reminderName } from "./reminder.ts"
import { listed, todoTools } from "./tool.ts"

const listName = "todo_list"

export function todoKit({ record }: { readonly record: (body: EntryBody) => void }): Kit {
  let reminder = openTodoReminder()
  let todos: readonly Todo[] = []
  /** The list as the model knows it: from its own call, or because it was shown. Any other change came from outside. */
  let known: readonly Todo[] = []

  function take(entry: Entry): void {
    if (entry.kind === "todo") todos = entry.todos
    if (entry.kind === "attachment" && [listName, reminderName].includes(entry.name)) known = todos
    if (entry.kind === "compaction") {
      for (const body of entry.standing) if (body.kind === "todo") todos = body.todos
      // The new conversation shows it.
      known = todos
    }
    reminder.take(entry)
  }

  return {
    name: "todo",
    tools: todoTools({
      todos: () => todos,
      keep(next) {
        known = next
        record({ kind: "todo", todos: next })
      },
    }),
    conversation: {
      take,
      reset() {
        reminder = openTodoReminder()
        todos = []
      },
      // Its calls are in the conversation.
      resume: () => void (known = todos),
    },
    attachments(): Promise<readonly Attachment[]> {
      if (known !== todos && todos.length > 0) return Promise.resolve([{ name: listName, text: listWords(todos) }])
      const text = reminder.due(todos)
      return Promise.resolve(text === undefined ? [] : [{ name: reminderName, text }])
    },
  }
}

const listWords = (todos: readonly Todo[]): string =>
  `Your list of work, as it stands now:\n${listed(todos)}\nGo on with it if the user's request still is about it. Do not mention this note.`
