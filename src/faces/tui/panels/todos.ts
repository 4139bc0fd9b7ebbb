/** The panel of the task list: the user adds, edits, ticks, moves and deletes what the agent works through. */

import type { Todo, TodoStatus } from "#agent/words/todo.ts"
import { todoMarks } from "#faces/tui/parts/display.ts"
import type { LineDefinition, ListDefinition, PanelOutcome, PanelKey, PanelRow } from "./panel.ts"
import type { TodosPort } from "./ports.ts"

export const todosPanel = <T>(port: TodosPort): ListDefinition<T> => ({
  kind: "list",
  title: "Todos",
  about: "The model is told about your changes with its next step.",
  empty: "The list is empty. Press a to add the first item.",
  search: "none",
  enterLabel: "edit",
  footer: "Space to tick · a to add · e to edit · d to delete · Shift+↑↓ to move · Esc to close",
  load: async () => rowsOf(await port.list()),
  choose: (row) => edit(port, row),
  watch: port.watch,
  keys: [
    {
      name: " ",
      about: "tick",
      of: "row",
      run: (row) => changeAt(port, row, (all, at, todo) => all.with(at, ticked(todo))),
    },
    { name: "a", about: "add", run: async () => ({ kind: "opens", panel: addLine(port) }) },
    { name: "e", about: "edit", of: "row", run: (row) => edit(port, row) },
    {
      name: "d",
      about: "delete",
      of: "row",
      run: (row) =>
        changeAt(
          port,
          row,
          (all, at) => all.toSpliced(at, 1),
          ({ content }) => `Deleted: ${content}`,
        ),
    },
    moveKey(port, "shift+up", -1),
    moveKey(port, "shift+down", 1),
  ],
})

/** Keyed by text and occurrence: the selection follows an item that moves. */
function rowsOf(todos: readonly Todo[]): readonly PanelRow[] {
  const seen = new Map<string, number>()
  return todos.map(({ content, status }) => {
    const nth = (seen.get(content) ?? 0) + 1
    seen.set(content, nth)
    return { key: `${nth} ${content}`, text: `${todoMarks[status]} ${content}` }
  })
}

/** The list may have changed since it was shown, so the item is looked up again. */
async function changeAt<T>(
  port: TodosPort,
  row: PanelRow | undefined,
  change: (todos: readonly Todo[], at: number, todo: Todo) => readonly Todo[],
  done?: (todo: Todo) => string,
): Promise<PanelOutcome<T>> {
  if (!row) return { kind: "stays" }
  const todos = await port.list()
  const at = rowsOf(todos).findIndex(({ key }) => key === row.key)
  const todo = todos[at]
  if (!todo) return { kind: "stays", note: gone }
  const set = await port.set(change(todos, at, todo))
  return { kind: "stays", ...(set.ok ? done && { note: done(todo) } : { note: set.failure }) }
}

const gone = "That item is not in the list any more."

const next: { readonly [status in TodoStatus]: TodoStatus } = {
  pending: "in_progress",
  in_progress: "completed",
  completed: "pending",
}
const ticked = (todo: Todo): Todo => ({ ...todo, status: next[todo.status] })

const moveKey = <T>(port: TodosPort, name: string, by: -1 | 1): PanelKey<T> => ({
  name,
  about: "move",
  of: "row",
  run: (row) =>
    changeAt(port, row, (all, at, todo) => {
      const other = all[at + by]
      return other ? all.with(at, other).with(at + by, todo) : all
    }),
})

const addLine = <T>(port: TodosPort): LineDefinition<T> => ({
  kind: "line",
  title: "Add a todo",
  enterLabel: "save",
  text: "",
  shown: "text",
  submit: async (content) => back(await port.set([...(await port.list()), written(content, "pending")])),
})

async function edit<T>(port: TodosPort, row: PanelRow | undefined): Promise<PanelOutcome<T>> {
  if (!row) return { kind: "stays" }
  const find = async (): Promise<{ readonly all: readonly Todo[]; readonly at: number; readonly todo?: Todo }> => {
    const all = await port.list()
    const at = rowsOf(all).findIndex(({ key }) => key === row.key)
    return { all, at, ...(all[at] && { todo: all[at] }) }
  }
  const { todo } = await find()
  if (!todo) return { kind: "stays", note: gone }
  return {
    kind: "opens",
    panel: {
      kind: "line",
      title: "Edit the todo",
      enterLabel: "save",
      text: todo.content,
      shown: "text",
      async submit(content) {
        const now = await find()
        if (!now.todo) return { kind: "goes back", to: "one below", note: gone }
        return back(await port.set(now.all.with(now.at, written(content, now.todo.status))))
      },
    },
  }
}

const written = (content: string, status: TodoStatus): Todo => ({ content, status, activeForm: content })

const back = <T>(set: Awaited<ReturnType<TodosPort["set"]>>): PanelOutcome<T> =>
  set.ok ? { kind: "goes back", to: "one below" } : { kind: "stays", note: set.failure }
