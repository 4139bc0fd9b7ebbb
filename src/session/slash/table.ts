/** All built-in commands that do not belong to a single face. See decision 37. */

import { readBudget } from "#kits/budget/amount.ts"
import type { CommandRow } from "#agent/words/command.ts"
import type { Op } from "#agent/words/op.ts"
import { modeNames } from "#agent/words/mode-names.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { effortLevels, isEffort } from "#agent/words/thinking.ts"
import { gateAct } from "./gate-text.ts"
import { goalAct } from "./goal-text.ts"
import { loopAct } from "./loop-text.ts"
import { mayBeProvider } from "./provider-name.ts"
import type { ShownView, SlashAct, SlashCommand } from "#session/port/command.ts"

export const slashTable: readonly SlashCommand[] = [
  { name: "help", group: "session", about: "List the commands", takes: "", run: shows("help") },
  {
    name: "clear",
    group: "session",
    aliases: ["new"],
    about: "Start a new conversation",
    takes: "",
    when: "at rest",
    run: () => does({ type: "clear" }),
  },
  {
    name: "compact",
    group: "context",
    about: "Summarize the conversation so far",
    takes: "[what to keep]",
    when: "at rest",
    run: (rest) => does({ type: "compact", ...(rest !== "" && { instructions: rest }) }),
  },
  {
    name: "uncompact",
    group: "context",
    about: "Undo the last compaction",
    takes: "",
    when: "at rest",
    run: () => does({ type: "uncompact" }),
  },
  { name: "context", group: "context", about: "Show what fills the context", takes: "", run: shows("context") },
  {
    name: "cost",
    group: "context",
    aliases: ["usage"],
    about: "Show the tokens used and what they cost",
    takes: "",
    run: shows("cost"),
  },
  {
    name: "model",
    group: "model",
    about: "Show or change the model",
    takes: "[name]",
    run: (rest) => (rest === "" ? show("models", "") : does({ type: "set_model", model: rest })),
  },
  {
    name: "mode",
    group: "permissions",
    about: "Show or change the permission mode",
    takes: `[${permissionModes.join(" | ")}]`,
    run(rest) {
      if (rest === "") return show("modes", "")
      const wanted = rest.toLowerCase()
      const mode = permissionModes.find((known) => known.toLowerCase() === wanted || modeNames[known] === wanted)
      if (mode) return does({ type: "set_mode", mode })
      return wrong(`There is no mode ${rest}. The modes are ${permissionModes.join(", ")}.`)
    },
  },
  {
    name: "gates",
    group: "permissions",
    about: "Show where the session waits for you in every mode, or switch such a gate",
    takes: "[gate on | off]",
    run: gateAct,
  },
  {
    name: "goal",
    group: "session",
    about: "Work until a command succeeds or something is the case; show or end the goal",
    takes: "[$ command | what must be the case | clear]",
    run: goalAct,
  },
  {
    name: "loop",
    group: "session",
    about: "Repeat a prompt while this session is open; show or end the loop",
    takes: "[10m <prompt> | stop]",
    run: loopAct,
  },
  {
    name: "btw",
    about: "Ask a side question that leaves the conversation alone",
    takes: "<question>",
    run: (rest) => (rest === "" ? wrong("Usage: /btw <question>") : show("btw", rest)),
  },
  {
    name: "budget",
    group: "context",
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
    group: "model",
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
    group: "session",
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
    group: "permissions",
    about: "Show and change permission rules",
    takes: "[add allow|ask|deny <rule> | words]",
    run: shows("permissions"),
  },
  {
    name: "resume",
    group: "session",
    aliases: ["continue"],
    about: "Switch to another conversation",
    takes: "[number | words]",
    run: shows("sessions"),
  },
  {
    name: "rewind",
    group: "session",
    about: "Undo back to an earlier prompt, or summarize up to it",
    takes: "[number | words]",
    when: "at rest",
    run: shows("rewind"),
  },
  {
    name: "redo",
    group: "session",
    about: "Undo the last rewind",
    takes: "",
    when: "at rest",
    run: () => does({ type: "redo" }),
  },
  {
    name: "branches",
    group: "session",
    about: "Switch to another branch of this conversation",
    takes: "[number | words]",
    when: "at rest",
    run: shows("branches"),
  },
  {
    name: "rename",
    group: "session",
    about: "Rename the conversation",
    takes: "<title>",
    run: (rest) =>
      rest === "" ? wrong("Write the new title after it: /rename <title>") : does({ type: "rename", title: rest }),
  },
  {
    name: "diff",
    group: "session",
    about: "Review what changed in files; keep or undo parts of it",
    takes: "[turn] [keep | undo | restore <number>]",
    run: shows("diff"),
  },
  {
    name: "inspect",
    group: "context",
    about: "Show what was sent to the model",
    takes: "[number | list]",
    run: shows("inspect"),
  },
  {
    name: "memory",
    group: "context",
    about: "Show or edit the memory files",
    takes: "",
    run: () => show("memory", ""),
  },
  {
    name: "mcp",
    group: "extensions",
    about: "Show the MCP servers; log in, reconnect one or turn it off",
    takes: "[words]",
    run: shows("mcp"),
  },
  {
    name: "hooks",
    group: "extensions",
    about: "Show the hooks and their last runs",
    takes: "[words]",
    run: shows("hooks"),
  },
  {
    name: "sandbox",
    group: "permissions",
    about: "Show whether commands are confined, and what they may do",
    takes: "",
    run: shows("sandbox"),
  },
  {
    name: "agents",
    group: "extensions",
    about: "Show the agents that can be started, make a new one, or list your running sessions",
    takes: "[words | new <what it is for> | running]",
    run: shows("agents"),
  },
  {
    name: "tasks",
    group: "session",
    aliases: ["bashes"],
    about: "Show running agents and commands; open or stop one",
    takes: "[words]",
    run: shows("tasks"),
  },
  {
    name: "teams",
    group: "session",
    aliases: ["team"],
    about: "Show the team: members, tasks and mail",
    takes: "",
    run: shows("team"),
  },
  {
    name: "skills",
    group: "extensions",
    about: "Show the skills and commands that files bring, or make a new one",
    takes: "[words | new <what it is for>]",
    run: shows("skills"),
  },
  {
    name: "todos",
    group: "session",
    about: "Show and edit the task list",
    takes: "[add <text> | done <n> | remove <n>]",
    run: shows("todos"),
  },
  {
    name: "output-style",
    group: "model",
    about: "Show or change the output style",
    takes: "[name]",
    when: "at rest",
    run: shows("styles"),
  },
  {
    name: "fork",
    group: "session",
    about: "Continue in a copy of this conversation",
    takes: "",
    when: "at rest",
    run: shows("fork"),
  },
  {
    name: "export",
    group: "session",
    about: "Save the conversation as Markdown, HTML or JSON, or copy it",
    takes: "[file | md | html | json | copy]",
    run: shows("export"),
  },
  {
    name: "share",
    group: "session",
    about: "Save the conversation as one HTML file to give to others; nothing is uploaded",
    takes: "",
    run: shows("share"),
  },
  {
    name: "add-dir",
    group: "permissions",
    about: "Add a folder to the workspace for this session",
    takes: "<folder>",
    run: (rest) =>
      rest === "" ? wrong("Name the folder: /add-dir <folder>") : does({ type: "add_folder", path: rest }),
  },
  {
    name: "status",
    group: "setup",
    about: "Show the version, model, key, folder and settings files",
    takes: "",
    run: shows("status"),
  },
  {
    name: "doctor",
    group: "setup",
    about: "Check the installation, settings, servers and the model",
    takes: "",
    run: shows("doctor"),
  },
  {
    name: "plugins",
    aliases: ["plugin"],
    group: "extensions",
    about: "Show, install and update plugins",
    takes: "[words]",
    run: shows("plugins"),
  },
  {
    name: "config",
    aliases: ["settings"],
    group: "setup",
    about: "Show and change settings",
    takes: "[key value]",
    run: shows("config"),
  },
  {
    name: "login",
    group: "setup",
    about: "List providers, and add or change a key",
    takes: "[provider]",
    // What is typed here is kept in the log.
    run: (rest) => (rest === "" || mayBeProvider(rest) ? show("login", rest) : wrong(keyTyped)),
  },
  { name: "logout", group: "setup", about: "Remove a saved API key", takes: "[provider]", run: shows("logout") },
  { name: "stats", group: "setup", about: "Show your use per day and model", takes: "[days]", run: shows("stats") },
  {
    name: "statusline",
    group: "setup",
    about: "Show or set the command that draws the status line",
    takes: "[command | off]",
    run: shows("statusline"),
  },
  {
    name: "ide",
    group: "setup",
    about: "Show and connect editors; open a file in one",
    takes: "[number | name | open <file> | off]",
    run: shows("ide"),
  },
  {
    name: "good",
    group: "session",
    about: "Note in the log that the last answer was good; nothing is sent",
    takes: "[why]",
    run: (rest) => does({ type: "feedback", rating: "good", ...(rest !== "" && { text: rest }) }),
  },
  {
    name: "bad",
    group: "session",
    about: "Note in the log that the last answer was bad; nothing is sent",
    takes: "[why]",
    run: (rest) => does({ type: "feedback", rating: "bad", ...(rest !== "" && { text: rest }) }),
  },
  {
    name: "bug",
    aliases: ["feedback"],
    group: "setup",
    about: "Write a report about a problem to a file; nothing is sent",
    takes: "[what happened]",
    run: shows("bug"),
  },
]

const keyTyped = "Do not type the key after the command: it would be kept in the history. /login asks for it."

/** The list of a face: the table, what the face adds, and what files and servers bring besides. */
export function withOwn(added: readonly GroupedRow[], brought: readonly CommandRow[]): readonly GroupedRow[] {
  const own = [...slashTable, ...added].map((row) => ({ ...row, group: row.group ?? "session" }))
  return [...own, ...brought.filter(({ name }) => !own.some((other) => other.name === name))]
}

type GroupedRow = CommandRow & Pick<SlashCommand, "group">

export const slashCommand = <C extends Pick<SlashCommand, "name" | "aliases">>(
  name: string,
  table: readonly C[],
): C | undefined => table.find((command) => command.name === name || command.aliases?.includes(name) === true)

function shows(what: ShownView): (rest: string) => SlashAct {
  return (rest) => show(what, rest)
}

function show(what: ShownView, words: string): SlashAct {
  return { kind: "show", what, words }
}

function does(...ops: readonly Op[]): SlashAct {
  return { kind: "ops", ops }
}

function wrong(text: string): SlashAct {
  return { kind: "wrong", text }
}
