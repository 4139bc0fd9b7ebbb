/** The agent's task list: always written in full, so that it is never partly outdated. */

import { isObject, type JsonValue } from "#lib/json.ts"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { Todo } from "#agent/words/todo.ts"
import { todoStatuses } from "#agent/words/todo.ts"
import { type AnyTool, answered, refused } from "#agent/words/tool.ts"

export interface TodoPorts {
  readonly todos: () => readonly Todo[]
  /** The list as the user changed it, where the model has not seen that yet; from now on it has. */
  readonly takeEdit: () => readonly Todo[] | undefined
  readonly keep: (todos: readonly Todo[]) => void
}

const writeDescription = `Keeps your list of work for this task, shown live to the user. Send the whole list each time; it replaces the last one.
Use it when the work has three or more distinct steps, is not trivial, when the user gives several tasks or asks for a list, and when new instructions come while you work: put them on the list at once. Skip it for one plain step and for questions.
- Mark an item in_progress before you begin it, exactly one at a time; mark it completed right after it is done, and only if it truly is: tests failing, an error left or parts missing means not completed. What blocks you becomes an item of its own.
- Add what you discover on the way; remove what no longer matters. Do not save up changes to the list for later.
- content says what to do ("Add the login route"), activeForm the same while doing it ("Adding the login route").
Good:
- "add dark mode and run the tests": several steps, and the tests are one of them (find the styles, add the switch, write the theme, run the tests).
- "rename getUser everywhere": search first, then one item for each group of files, so that none is forgotten.
- "registration, catalog, cart and checkout, please": several features, each taken apart when its turn comes.
- "the page is slow": measure first; what you find becomes the list.
Not needed:
- "what does git status do": nothing to do.
- "add a comment to this function", "print hello": one place, one step.
- "run the tests and tell me the result": one command; a list begins if failures are to be fixed.`

const writeInput = shape.object({
  todos: shape.array(
    shape.object({
      content: shape.string().trim().min(1, "must not be empty"),
      status: shape.choice(todoStatuses),
      activeForm: shape.string().trim().min(1, "must not be empty"),
    }),
  ),
})

/** Items as they were written before there was `activeForm`: models and transcripts of that time still have them. */
const readWriteInput: typeof writeInput.read = (value, path) =>
  writeInput.read(
    isObject(value) && Array.isArray(value["todos"]) ? { ...value, todos: value["todos"].map(modern) } : value,
    path,
  )

function modern(item: JsonValue): JsonValue {
  if (!isObject(item) || !("id" in item || "priority" in item)) return item
  const { id: _, priority: __, ...rest } = item
  return { ...rest, activeForm: rest["activeForm"] ?? rest["content"] ?? "" }
}

const readInput = shape.object({})

export function todoTools({ todos, takeEdit, keep }: TodoPorts): readonly AnyTool[] {
  return [
    defineTool({
      name: "TodoWrite",
      description: writeDescription,
      input: { ...writeInput, read: readWriteInput },
      title: ({ todos: next }) => `Update ${next.length} ${next.length === 1 ? "todo" : "todos"}`,
      // It changes only the list itself, but with two at once it would be unclear which is newer.
      footprint: () => ({ ...touchesNothing(), alone: true }),
      async run({ todos: next }) {
        const edit = takeEdit()
        if (edit) return refused(overtakenWords(edit))
        const oldTodos = todos()
        const finished = next.length > 0 && next.every(({ status }) => status === "completed")
        keep(finished ? [] : next)
        return answered(words(next, finished), {
          data: { oldTodos: oldTodos.map(plain), newTodos: next.map(plain) },
          display: { kind: "todos", todos: next },
        })
      },
    }),
    defineTool({
      name: "TodoRead",
      description: "Gives your current list of work.",
      input: readInput,
      title: () => "Read the todos",
      footprint: touchesNothing,
      async run() {
        const now = todos()
        return answered(now.length === 0 ? "The list is empty." : listed(now), {
          display: { kind: "todos", todos: now },
        })
      },
    }),
  ]
}

export const listed = (todos: readonly Todo[]): string =>
  todos.map(({ content, status }, index) => `${index + 1}. [${status}] ${content}`).join("\n")

const overtakenWords = (todos: readonly Todo[]): string =>
  `The list was not replaced: the user changed it in the meantime. ${todos.length === 0 ? "It is empty now." : `It is now:\n${listed(todos)}`}\nWrite it again with their changes.`

function words(todos: readonly Todo[], finished: boolean): string {
  if (todos.length === 0) return "The list is empty now. Continue with the task."
  if (finished)
    return "All items are completed and the list is cleared. Verify the result if you have not, then tell the user."
  const doing = todos.filter(({ status }) => status === "in_progress").length
  const reminder = doing === 1 ? "" : ` ${doing} items are in progress; there should be exactly one.`
  return `The list is saved.${reminder} Continue with the item in progress, and update the list as soon as it is done.`
}

const plain = ({ content, status, activeForm }: Todo): { [field: string]: string } => ({ content, status, activeForm })
