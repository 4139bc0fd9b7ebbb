/** The task list as text, and what `/todos` with words changes in it. */

import type { Todo } from "#agent/words/todo.ts"
import { forConsent } from "#lib/printable.ts"
import type { SlashAnswer } from "#session/opening/program.ts"

export function todoAnswer(todos: readonly Todo[], words: string): SlashAnswer {
  if (words === "") return { text: todoLines(todos) }
  const [, verb = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(words) ?? []
  switch (verb) {
    case "add": {
      const content = rest.trim().replaceAll(/\s+/g, " ")
      if (content === "") return wrong("Write the task after it: /todos add <text>")
      return changed(`Added: ${content}`, [...todos, { content, status: "pending", activeForm: content }])
    }
    case "done":
    case "remove": {
      const at = /^\d+$/.test(rest) ? Number(rest) - 1 : -1
      const meant = todos[at]
      if (!meant) return wrong(noSuch(todos, verb, rest))
      return verb === "done"
        ? changed(`Completed: ${meant.content}`, todos.with(at, { ...meant, status: "completed" }))
        : changed(`Removed: ${meant.content}`, todos.toSpliced(at, 1))
    }
    default:
      return wrong(`/todos does not know "${forConsent(verb)}". Write /todos add <text>, done <n> or remove <n>.`)
  }
}

const todoLines = (todos: readonly Todo[]): string =>
  todos.length === 0
    ? "The task list is empty."
    : todos.map(({ status, content }, i) => `${i + 1}. ${marks[status]} ${forConsent(content)}`).join("\n")

const marks = { completed: "[x]", in_progress: "[>]", pending: "[ ]" } as const

function noSuch(todos: readonly Todo[], verb: string, number: string): string {
  if (todos.length === 0) return "The task list is empty."
  if (number === "") return `Write the number of the task after it: /todos ${verb} <n>`
  return `There is no task ${forConsent(number)}. Write a number from 1 to ${todos.length}.`
}

const changed = (text: string, todos: readonly Todo[]): SlashAnswer => ({
  text: forConsent(text),
  ops: [{ type: "set_todos", todos }],
})

const wrong = (text: string): SlashAnswer => ({ text, isError: true })
