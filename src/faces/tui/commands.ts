/** What can be said with a slash: a table, so that the list and the deed cannot drift. */

import { permissionModes } from "#agent/words/permission.ts"
import type { SessionState } from "#session/state.ts"
import { isBusy } from "#faces/view/view.ts"
import { nearNames } from "#lib/near.ts"
import { toggledVim } from "./editor/vim.ts"
import { type Effect, note } from "./effect.ts"
import { actions, type Keymap } from "./keymap.ts"
import { type Around, type Offer, only, type Outcome, type SessionCommand } from "./outcome.ts"
import { costText, shortNumber } from "#lib/figures.ts"
import type { TuiState } from "./state.ts"

export interface Command extends SessionCommand {
  /** Known only where this is provided. */
  readonly needs?: Offer
  /** Only while no turn runs. */
  readonly when?: "at rest"
  readonly run: (rest: string, around: Around, state: TuiState) => Effect | readonly Effect[] | Outcome
}

const submit = (op: Extract<Effect, { kind: "submit" }>["op"]): Effect => ({ kind: "submit", op })
const prompt = (text: string): Effect => submit({ type: "prompt", content: [{ type: "text", text }], when: "queue" })

/** Every command, with what it needs. */
export const slashCommands: readonly Command[] = [
  { name: "help", about: "List the commands", takes: "", run: (_, around) => note(helpText(around)) },
  { name: "keys", about: "List the keys", takes: "", run: (_, __, { keymap }) => note(keysText(keymap)) },
  {
    name: "clear",
    about: "Forget the conversation and begin anew",
    takes: "",
    when: "at rest",
    run: () => submit({ type: "clear" }),
  },
  {
    name: "compact",
    about: "Summarize the conversation so far",
    takes: "[what to keep in mind]",
    when: "at rest",
    run: (rest) => submit({ type: "compact", ...(rest !== "" && { instructions: rest }) }),
  },
  {
    name: "uncompact",
    about: "Bring back what was summarized last",
    takes: "",
    when: "at rest",
    run: () => submit({ type: "uncompact" }),
  },
  {
    name: "context",
    about: "Show what fills the context",
    takes: "",
    needs: "context",
    run: () => ({ kind: "panel", panel: "context", query: "" }),
  },
  {
    name: "model",
    about: "Show or change the model",
    takes: "[name]",
    run(rest, { session, offers }) {
      if (rest !== "") return submit({ type: "set_model", model: rest })
      if (offers.has("models")) return { kind: "panel", panel: "models", query: "" }
      return note(`The model is ${session.model}.`)
    },
  },
  {
    name: "mode",
    about: "Show or change the permission mode",
    takes: `[${permissionModes.join(" | ")}]`,
    run(rest, { session }) {
      if (rest === "") return note(`The permission mode is ${session.mode}.`)
      const mode = permissionModes.find((known) => known.toLowerCase() === rest.toLowerCase())
      if (mode) return submit({ type: "set_mode", mode })
      return note(`There is no mode ${rest}. The modes are ${permissionModes.join(", ")}.`, "error")
    },
  },
  {
    name: "plan",
    about: "Show the plan, or plan before anything is changed",
    takes: "[task | edit]",
    run(rest) {
      if (rest === "" || rest === "edit") return { kind: "plan", wish: rest === "" ? "show" : "edit" }
      return [submit({ type: "set_mode", mode: "plan" }), prompt(rest)]
    },
  },
  {
    name: "permissions",
    about: "Show and change what is allowed",
    takes: "[words]",
    needs: "permissions",
    run: (rest) => ({ kind: "panel", panel: "permissions", query: rest }),
  },
  {
    name: "resume",
    about: "Go on with another conversation",
    takes: "[words]",
    needs: "sessions",
    run: (rest) => ({ kind: "panel", panel: "sessions", query: rest }),
  },
  {
    name: "rewind",
    about: "Go back to before an earlier prompt, or summarize up to it",
    takes: "[words]",
    needs: "rewind",
    when: "at rest",
    run: (rest) => ({ kind: "panel", panel: "rewind", query: rest }),
  },
  {
    name: "redo",
    about: "Undo the last rewind",
    takes: "",
    when: "at rest",
    run: () => submit({ type: "redo" }),
  },
  {
    name: "branches",
    about: "Go on with another way this conversation went",
    takes: "[words]",
    needs: "branches",
    when: "at rest",
    run: (rest) => ({ kind: "panel", panel: "branches", query: rest }),
  },
  {
    name: "rename",
    about: "Give the conversation a title",
    takes: "<title>",
    run: (rest) =>
      rest === ""
        ? note("Write the title behind it: /rename <title>", "error")
        : submit({ type: "rename", title: rest }),
  },
  {
    name: "diff",
    about: "Show what this conversation changed in files",
    takes: "",
    run: () => ({ kind: "changes" }),
  },
  {
    name: "inspect",
    about: "Show what was sent to the model",
    takes: "[number | list]",
    run: (rest) => ({ kind: "inspect", words: rest }),
  },
  {
    name: "memory",
    about: "Open a memory file in your editor",
    takes: "",
    needs: "memory",
    run: () => ({ kind: "panel", panel: "memory", query: "" }),
  },
  {
    name: "mcp",
    about: "Show the MCP servers; reach one again, or turn it off",
    takes: "[words]",
    needs: "mcp",
    run: (rest) => ({ kind: "panel", panel: "mcp", query: rest }),
  },
  {
    name: "hooks",
    about: "Show the hooks and how they ran",
    takes: "[words]",
    needs: "hooks",
    run: (rest) => ({ kind: "panel", panel: "hooks", query: rest }),
  },
  {
    name: "agents",
    about: "Show the kinds of agents there are",
    takes: "[words]",
    needs: "agents",
    run: (rest) => ({ kind: "panel", panel: "agents", query: rest }),
  },
  {
    name: "tasks",
    about: "Show what runs; look into an agent, stop it or talk to it",
    takes: "[words]",
    needs: "tasks",
    run: (rest) => ({ kind: "panel", panel: "tasks", query: rest }),
  },
  {
    name: "skills",
    about: "Show the skills and commands there are",
    takes: "[words]",
    needs: "skills",
    run: (rest) => ({ kind: "panel", panel: "skills", query: rest }),
  },
  {
    name: "theme",
    about: "Choose the colours",
    takes: "",
    needs: "themes",
    run: () => ({ kind: "panel", panel: "themes", query: "" }),
  },
  {
    name: "vim",
    about: "Turn the vim keys on or off",
    takes: "",
    run(_, __, state) {
      const editor = toggledVim(state.editor)
      const words = editor.vim ? "The vim keys are on." : "The vim keys are off."
      return only({ ...state, editor }, note(words))
    },
  },
  { name: "copy", about: "Copy the last answer", takes: "", run: () => ({ kind: "copy" }) },
  { name: "cost", about: "Show what was spent", takes: "", run: (_, { session }) => note(spendingText(session)) },
  { name: "exit", about: "Leave", takes: "", run: () => ({ kind: "leave" }) },
]

/** Other names that people bring with them. */
const synonyms: { readonly [name: string]: string } = {
  quit: "exit",
  usage: "cost",
  continue: "resume",
  new: "clear",
  bashes: "tasks",
}

/** The commands that there are here; ours hide those of the session with the same name. */
export function commandsOf({ offers, sessionCommands }: Around): readonly (Command | SessionCommand)[] {
  const own = slashCommands.filter(({ needs }) => needs === undefined || offers.has(needs))
  return [...own, ...sessionCommands.filter(({ name }) => !own.some((other) => other.name === name))]
}

export type CommandOutcome =
  | { readonly kind: "done"; readonly outcome: Outcome }
  | { readonly kind: "not now" }
  | { readonly kind: "unknown"; readonly effect: Effect }

/** What a line that begins with a slash does; nothing when it is for the session, or no command but a path or a sentence. */
export function runCommandLine(line: string, state: TuiState, around: Around): CommandOutcome | undefined {
  const found = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(line.trim())
  if (!found) return undefined
  const [, given = "", rest = ""] = found
  const known = commandsOf(around)
  const name = Object.hasOwn(synonyms, given) ? (synonyms[given] ?? given) : given
  const command = known.find((other) => other.name === name)
  if (!command) return { kind: "unknown", effect: note(unknownWords(given, known), "error") }
  if (!("run" in command)) return undefined
  if (command.when === "at rest" && isBusy(state.view)) return { kind: "not now" }
  const outcome = command.run(rest.trim(), around, state)
  if ("state" in outcome) return { kind: "done", outcome }
  return { kind: "done", outcome: only(state, ...("kind" in outcome ? [outcome] : outcome)) }
}

function unknownWords(name: string, known: readonly SessionCommand[]): string {
  const names = known.map((command) => command.name)
  const near = nearNames(name, names, 1)[0]
  return `There is no command /${name}. ${near ? `Did you mean /${near}?` : "/help lists them."}`
}

const helpText = (around: Around): string =>
  commandsOf(around)
    .map(({ name, takes, about }) => `/${name}${takes === "" ? "" : ` ${takes}`}  ${about}`)
    .concat("! runs a command of the shell, @ names a file, # keeps a note. Press ? in an empty prompt for the keys.")
    .join("\n")

function keysText(keymap: Keymap): string {
  const rows = actions.map(({ name, about }) => ({ name, about, keys: keymap.keysOf(name).join(", ") }))
  const widest = Math.max(...rows.map(({ keys }) => keys.length))
  return rows
    .map(({ name, about, keys }) => `${keys.padEnd(widest)}  ${about} (${name})`)
    .concat("Change them under keybindings in the settings.")
    .join("\n")
}

function spendingText({ spending, costUsd }: SessionState): string {
  const models = Object.entries(spending).map(([model, { usage, costUsd: own }]) => {
    const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return `${model}: ${shortNumber(input)} tokens in, ${shortNumber(usage.output_tokens)} out, ${costText(own)}`
  })
  return models.length === 0 ? "Nothing was spent yet." : [...models, `All together ${costText(costUsd)}.`].join("\n")
}
