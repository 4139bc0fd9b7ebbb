/** What can be said with a slash in the terminal: the session's table, drawn with panels, and a few commands of its own. */

import { commandNameShape, type CommandRow } from "#agent/words/command.ts"
import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { isBusy } from "#faces/view/view.ts"
import { nearNames } from "#lib/near.ts"
import type { ShownView, SlashAct, SlashCommand } from "#session/port/command.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { helpText } from "#session/slash/state-text.ts"
import { slashCommand, slashTable, withOwn } from "#session/slash/table.ts"
import { replaced } from "./editor/editor.ts"
import { toggledVim } from "./editor/vim.ts"
import { type Effect, note } from "./effect.ts"
import { keyLabel } from "./key-names.ts"
import { actions, type Keymap } from "./keymap.ts"
import { type TuiContext, type Offer, only, type TuiOutcome } from "./outcome.ts"
import type { PanelName } from "./panels/ports.ts"
import { withdrawAll } from "./returned.ts"
import type { TuiState } from "./state.ts"

export interface TerminalCommand extends Omit<SlashCommand, "run"> {
  /** Known only if this is provided. */
  readonly needs?: Offer
  readonly run: (state: TuiState, rest: string) => Effect | TuiOutcome
}

export const terminalCommands: readonly TerminalCommand[] = [
  { name: "keys", group: "setup", about: "List the keys", takes: "", run: ({ keymap }) => note(keysText(keymap)) },
  {
    name: "theme",
    group: "setup",
    about: "Choose a theme",
    takes: "",
    needs: "themes",
    run: () => ({ kind: "panel", panel: "themes", query: "" }),
  },
  {
    name: "vim",
    group: "setup",
    about: "Turn vim keys on or off",
    takes: "",
    run(state) {
      const editor = toggledVim(state.editor)
      return only({ ...state, editor }, note(editor.vim ? "Vim keys are on." : "Vim keys are off."))
    },
  },
  {
    name: "bg",
    aliases: ["background"],
    group: "session",
    about: "Continue this session in the background, and leave",
    takes: "[prompt]",
    needs: "background",
    run: (_, rest) => ({ kind: "leave", background: rest }),
  },
  {
    name: "workflow",
    group: "session",
    about: "Run a workflow of this repository beside the conversation, or list them",
    takes: "[name] [input as JSON]",
    needs: "workflow",
    run: (_, rest) => ({ kind: "workflow", words: rest }),
  },
  {
    name: "palette",
    group: "setup",
    about: "Find a command or a key by a few letters",
    takes: "",
    run: () => ({ kind: "palette" }),
  },
  { name: "copy", group: "session", about: "Copy the last answer", takes: "", run: () => ({ kind: "copy" }) },
  { name: "exit", aliases: ["quit"], group: "session", about: "Quit", takes: "", run: () => ({ kind: "leave" }) },
]

/** Shown as a panel if its port exists; otherwise printed as the session says it. */
const panels: { readonly [what in ShownView]?: PanelName } = {
  context: "context",
  models: "models",
  modes: "modes",
  effort: "effort",
  gates: "gates",
  styles: "styles",
  sandbox: "sandbox",
  btw: "btw",
  permissions: "permissions",
  sessions: "sessions",
  rewind: "rewind",
  diff: "changes",
  branches: "branches",
  todos: "todos",
  memory: "memory",
  mcp: "mcp",
  hooks: "hooks",
  agents: "agents",
  tasks: "tasks",
  team: "team",
  skills: "skills",
  plugins: "plugins",
  config: "config",
  login: "login",
}

export const commandsOf = ({ offers, sessionCommands }: TuiContext): ReturnType<typeof withOwn> =>
  withOwn(ownHere(offers), sessionCommands)

const ownHere = (offers: ReadonlySet<Offer>): readonly TerminalCommand[] =>
  terminalCommands.filter(({ needs }) => needs === undefined || offers.has(needs))

export type CommandOutcome =
  | { readonly kind: "done"; readonly outcome: TuiOutcome }
  /** The session runs it after the turn. `holds`: it opens a panel, and the queue waits until that closes. */
  | { readonly kind: "later"; readonly holds?: true }
  | { readonly kind: "unknown"; readonly effect: Effect }
  /** It needs words, which can be written now. */
  | { readonly kind: "unfinished"; readonly state: TuiState }

/** Undefined if the line is for the session, or not a command but a path or a sentence. */
export function runCommandLine(line: string, state: TuiState, around: TuiContext): CommandOutcome | undefined {
  const found = commandLine.exec(line.trim())
  if (!found) return undefined
  const name = (found[1] ?? "").normalize("NFC")
  const rest = found[2] ?? ""
  const shared = slashCommand(name, slashTable)
  if (shared?.takes.startsWith("<") && rest.trim() === "")
    return { kind: "unfinished", state: { ...state, editor: replaced(state.editor, `/${name} `), hint: shared.takes } }
  if (shared?.when === "at rest" && isBusy(state.view))
    return { kind: "later", ...(rest.trim() === "" && panelOf(shared, around) && { holds: true }) }
  if (shared) return done(state, ...effectsOf(shared.run(rest.trim()), `${name} ${rest}`.trim(), state, around))
  const own = slashCommand(name, ownHere(around.offers))?.run(state, rest.trim())
  if (own) return "state" in own ? { kind: "done", outcome: own } : done(state, own)
  // With a dot it may be a file; the session knows.
  if (name.includes(".") || around.sessionCommands.some((command) => command.name === name)) return undefined
  const near = nearNames(name, namesIn(commandsOf(around)))
  return { kind: "unknown", effect: note(opFailureWords({ kind: "unknown_command", name, near }), "error") }
}

/** Undefined if the text is no command line. */
export const commandNameIn = (text: string): string | undefined => commandLine.exec(text)?.[1]?.normalize("NFC")

const commandLine = new RegExp(String.raw`^/(${commandNameShape})(?:\s+([\s\S]*))?$`, "u")

/** For a command that waited for the end of a turn and only shows something. */
export function panelFor(event: Event, around: () => TuiContext): Effect | undefined {
  if (event.type !== "entry" || event.entry.kind !== "command" || event.entry.isError) return undefined
  const command = slashCommand(event.entry.typed.slice(1), slashTable)
  const panel = command && panelOf(command, around())
  return panel && { ...panel, holds: true }
}

function panelOf({ run }: SlashCommand, around: TuiContext): (Effect & { readonly kind: "panel" }) | undefined {
  const act = run("")
  const effect = act.kind === "show" ? drawn(act.what, act.words, around) : undefined
  return effect?.kind === "panel" ? effect : undefined
}

const done = (state: TuiState, ...effects: readonly Effect[]): CommandOutcome => ({
  kind: "done",
  outcome: only(state, ...effects),
})

function effectsOf(act: SlashAct, typed: string, { view }: TuiState, around: TuiContext): readonly Effect[] {
  switch (act.kind) {
    case "ops":
      // A new conversation begins without what was queued for the old one.
      return act.ops
        .flatMap((op) => (op.type === "clear" && view.queue.length > 0 ? [withdrawAll, op] : [op]))
        .map((op) => ({ kind: "submit", op, ...(saidHere.has(op.type) && { says: true }) }))
    case "wrong":
      return [note(act.text, "error")]
    case "show":
      return [drawn(act.what, act.words, around) ?? { kind: "slash", typed }]
  }
}

/** Others show themselves in the transcript. */
const saidHere: ReadonlySet<Op["type"]> = new Set([
  "add_folder",
  "rename",
  "set_budget",
  "set_effort",
  "set_gate",
  "set_mode",
  "set_model",
])

/** With arguments these change something, so they need no panel. */
const changesByWords = [/^todos ./, /^styles ./, /^diff .*\d/, /^permissions add\b/, /^(?:skills|agents) new\b/]

function drawn(what: ShownView, words: string, around: TuiContext): Effect | undefined {
  const line = `${what} ${words}`
  const named = /^agents running\b/.test(line) ? "running" : panels[what]
  const panel = changesByWords.some((pattern) => pattern.test(line)) ? undefined : named
  if (panel !== undefined && around.offers.has(panel)) return { kind: "panel", panel, query: words }
  switch (what) {
    case "help":
      return note(`${helpText(commandsOf(around))}\n${signs}`)
    case "inspect":
      return { kind: "inspect", words }
    case "plan":
      return { kind: "plan", wish: words === "edit" ? "edit" : "show" }
    default:
      return undefined
  }
}

const signs =
  "! runs a shell command, @ names a file, # saves a note. Press ? in an empty prompt for the keys. Guides: codewright docs"

const namesIn = (known: readonly CommandRow[]): readonly string[] => known.map(({ name }) => name)

function keysText(keymap: Keymap): string {
  const listed = new Set<string>()
  // A key with several meanings is listed once, with the action that is tried first.
  const rows = actions.flatMap(({ name, about }) => {
    const keys = keymap.keysOf(name).filter((key) => !listed.has(key))
    for (const key of keys) listed.add(key)
    return keys.length === 0 && keymap.keysOf(name).length > 0
      ? []
      : [{ name, about, keys: keys.map(keyLabel).join(", ") }]
  })
  const widest = Math.max(...rows.map(({ keys }) => keys.length))
  return rows
    .map(({ name, about, keys }) => `${keys.padEnd(widest)}  ${about} (${name})`)
    .concat("Change them under keybindings in the settings.")
    .join("\n")
}
