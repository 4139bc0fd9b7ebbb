/** Every command of the program that is not one face's own: the only list of them. */

import { readBudget } from "#kits/budget/amount.ts"
import type { CommandRow } from "#agent/words/command.ts"
import type { Op } from "#agent/words/op.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { effortLevels, isEffort } from "#agent/words/thinking.ts"
import type { Shown, SlashAct, SlashCommand } from "#session/port/command.ts"

export const slashTable: readonly SlashCommand[] = [
  { name: "help", about: "List the commands", takes: "", run: shows("help") },
  {
    name: "clear",
    aliases: ["new"],
    about: "Start a new conversation",
    takes: "",
    when: "at rest",
    run: () => does({ type: "clear" }),
  },
  {
    name: "compact",
    about: "Summarize the conversation so far",
    takes: "[what to keep]",
    when: "at rest",
    run: (rest) => does({ type: "compact", ...(rest !== "" && { instructions: rest }) }),
  },
  {
    name: "uncompact",
    about: "Undo the last compaction",
    takes: "",
    when: "at rest",
    run: () => does({ type: "uncompact" }),
  },
  { name: "context", about: "Show what fills the context", takes: "", run: shows("context") },
  {
    name: "cost",
    aliases: ["usage"],
    about: "Show the tokens used and what they cost",
    takes: "",
    run: shows("cost"),
  },
  {
    name: "model",
    about: "Show or change the model",
    takes: "[name]",
    run: (rest) => (rest === "" ? show("models", "") : does({ type: "set_model", model: rest })),
  },
  {
    name: "mode",
    about: "Show or change the permission mode",
    takes: `[${permissionModes.join(" | ")}]`,
    run(rest) {
      if (rest === "") return show("modes", "")
      const mode = permissionModes.find((known) => known.toLowerCase() === rest.toLowerCase())
      if (mode) return does({ type: "set_mode", mode })
      return wrong(`There is no mode ${rest}. The modes are ${permissionModes.join(", ")}.`)
    },
  },
  {
    name: "btw",
    about: "Ask a side question that leaves the conversation alone",
    takes: "<question>",
    run: (rest) => (rest === "" ? wrong("Write a question after it: /btw <question>") : show("btw", rest)),
  },
  {
    name: "budget",
    about: "Show or change what this session may spend",
    takes: "[5 | $2.50 | 200k tokens | none]",
    run(rest) {
      if (rest === "") return show("budget", "")
      const read = readBudget(rest)
      return read.ok ? does({ type: "set_budget", budget: read.value }) : wrong(read.failure)
    },
  },
  {
    name: "effort",
    about: "Show or change how much effort answers take",
    takes: `[${effortLevels.join(" | ")} | auto]`,
    run(rest) {
      const level = rest.toLowerCase()
      if (level === "") return show("effort", "")
      if (level === "auto" || isEffort(level)) return does({ type: "set_effort", effort: level })
      return wrong(`There is no effort level ${rest}. The levels are ${effortLevels.join(", ")} and auto.`)
    },
  },
  {
    name: "plan",
    about: "Show the plan, or plan before changing anything",
    takes: "[task | edit]",
    run(rest) {
      if (rest === "" || rest === "edit") return show("plan", rest)
      return does(
        { type: "set_mode", mode: "plan" },
        { type: "prompt", content: [{ type: "text", text: rest }], when: "queue" },
      )
    },
  },
  {
    name: "permissions",
    about: "Show and change permission rules",
    takes: "[add allow|ask|deny <rule> | words]",
    run: shows("permissions"),
  },
  {
    name: "resume",
    aliases: ["continue"],
    about: "Switch to another conversation",
    takes: "[number | words]",
    run: shows("sessions"),
  },
  {
    name: "rewind",
    about: "Undo back to an earlier prompt, or summarize up to it",
    takes: "[number | words]",
    when: "at rest",
    run: shows("rewind"),
  },
  { name: "redo", about: "Undo the last rewind", takes: "", when: "at rest", run: () => does({ type: "redo" }) },
  {
    name: "branches",
    about: "Switch to another branch of this conversation",
    takes: "[number | words]",
    when: "at rest",
    run: shows("branches"),
  },
  {
    name: "rename",
    about: "Rename the conversation",
    takes: "<title>",
    run: (rest) =>
      rest === "" ? wrong("Write the new title after it: /rename <title>") : does({ type: "rename", title: rest }),
  },
  { name: "diff", about: "Show what this conversation changed in files", takes: "", run: shows("diff") },
  { name: "inspect", about: "Show what was sent to the model", takes: "[number | list]", run: shows("inspect") },
  { name: "memory", about: "Show or edit the memory files", takes: "", run: () => show("memory", "") },
  { name: "mcp", about: "Show the MCP servers; reconnect one or turn it off", takes: "[words]", run: shows("mcp") },
  { name: "hooks", about: "Show the hooks and their last runs", takes: "[words]", run: shows("hooks") },
  {
    name: "sandbox",
    about: "Show whether commands are confined, and what they may do",
    takes: "",
    run: shows("sandbox"),
  },
  { name: "agents", about: "Show the agents that can be started", takes: "[words]", run: shows("agents") },
  {
    name: "tasks",
    aliases: ["bashes"],
    about: "Show running agents and commands; open or stop one",
    takes: "[words]",
    run: shows("tasks"),
  },
  { name: "skills", about: "Show the skills and commands that files bring", takes: "[words]", run: shows("skills") },
  { name: "todos", about: "Show the task list", takes: "", run: shows("todos") },
  {
    name: "output-style",
    about: "Show or change the output style",
    takes: "[name]",
    when: "at rest",
    run: shows("styles"),
  },
]

/** The list of a face: the table, what the face adds, and what files and servers bring besides. */
export function withOwn(added: readonly CommandRow[], brought: readonly CommandRow[]): readonly CommandRow[] {
  const own = [...slashTable, ...added]
  return [...own, ...brought.filter(({ name }) => !own.some((other) => other.name === name))]
}

/** The command of a name, or of another name for it. */
export const slashCommand = <C extends Pick<SlashCommand, "name" | "aliases">>(
  name: string,
  table: readonly C[],
): C | undefined => table.find((command) => command.name === name || command.aliases?.includes(name) === true)

function shows(what: Shown): (rest: string) => SlashAct {
  return (rest) => show(what, rest)
}

function show(what: Shown, words: string): SlashAct {
  return { kind: "show", what, words }
}

function does(...ops: readonly Op[]): SlashAct {
  return { kind: "ops", ops }
}

function wrong(text: string): SlashAct {
  return { kind: "wrong", text }
}
