/** The todo kit: the tools, the list again when the user changed it, and the hint when it was forgotten. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Todo } from "#agent/words/todo.ts"
import { openTodoReminder, reminderName } from "./reminder.ts"
import { listed, todoTools } from "./tool.ts"

const listName = "todo_list"

export function todoKit({ record }: { readonly record: (body: EntryBody) => void }): Kit {
  let reminder = openTodoReminder()
  let todos: readonly Todo[] = []
  /** The list as the model knows it: it wrote it, or was shown it. Any other list is an edit that it has not seen. */
  let known: readonly Todo[] = []

  function onEntry(entry: Entry): void {
    if (entry.kind === "todo") {
      // After a rewind the list is recorded once more as it was then, seen or not.
      if (entry.by !== "person" && !isSame(entry.todos, todos)) known = entry.todos
      ;({ todos } = entry)
    }
    if (entry.kind === "attachment" && [listName, reminderName].includes(entry.name)) known = todos
    if (entry.kind === "compaction") {
      for (const body of entry.standing) if (body.kind === "todo") ({ todos } = body)
      // The new conversation shows it.
      known = todos
    }
    reminder.onEntry(entry)
  }

  return {
    name: "todo",
    tools: todoTools({
      todos: () => todos,
      takeEdit() {
        if (isSame(known, todos)) return undefined
        known = todos
        return todos
      },
      keep(next) {
        known = next
        record({ kind: "todo", todos: next })
      },
    }),
    conversation: {
      onEntry,
      reset() {
        reminder = openTodoReminder()
        todos = []
        known = []
      },
    },
    attachments(): readonly Attachment[] {
      if (!isSame(known, todos)) return [{ name: listName, text: editedWords(todos) }]
      const text = reminder.due(todos)
      return text === undefined ? [] : [{ name: reminderName, text }]
    },
  }
}

const isSame = (a: readonly Todo[], b: readonly Todo[]): boolean => JSON.stringify(a) === JSON.stringify(b)

const editedWords = (todos: readonly Todo[]): string =>
  todos.length === 0
    ? "The user cleared your list of work. Do not work on what was in it unless they ask for it."
    : `The user changed your list of work. It is now:\n${escapeImitations(listed(todos))}\nFollow it, and keep their changes when you update it. Do not mention this note.`
