/** Every flag, once: what it is called, what it takes and what it is for. The parser, the help and the reference page read this table. */

import { effortLevels } from "#agent/words/thinking.ts"
import { permissionModes } from "#agent/words/permission.ts"

export type FlagKind =
  /** Stands alone. */
  | "switch"
  /** Needs a value; the last one counts. */
  | "value"
  /** May have a value: the next word, unless that is a flag. */
  | "optional"
  /** May have a value, but only after `=`, so that it never swallows the prompt. */
  | "attached"
  /** Takes values up to the next flag; repeats are joined. */
  | "list"
  /** A list of permission rules: values separated by commas or spaces are split too. */
  | "rules"

export type FlagName =
  | "print"
  | "output-format"
  | "verbose"
  | "model"
  | "fallback-model"
  | "effort"
  | "max-turns"
  | "max-budget-usd"
  | "max-budget-tokens"
  | "permission-mode"
  | "dangerously-skip-permissions"
  | "allow-dangerously-skip-permissions"
  | "allowed-tools"
  | "disallowed-tools"
  | "system-prompt"
  | "append-system-prompt"
  | "agents"
  | "agent"
  | "session-id"
  | "continue"
  | "resume"
  | "fork-session"
  | "take-over"
  | "no-session-persistence"
  | "settings"
  | "setting-sources"
  | "add-dir"
  | "mcp-config"
  | "strict-mcp-config"
  | "disable-slash-commands"
  | "trust"
  | "screen-reader"
  | "detailed-exit-codes"
  | "debug"
  | "help"
  | "version"

export interface Flag<Name extends string = string> {
  readonly name: Name
  readonly also?: readonly string[]
  readonly kind: FlagKind
  readonly takes?: string
  readonly choices?: readonly string[]
  readonly about: string
}

export const flags: readonly Flag<FlagName>[] = [
  {
    name: "print",
    also: ["-p"],
    kind: "switch",
    about: "Answer one prompt without a screen, then exit. Standard input is appended to the prompt.",
  },
  {
    name: "output-format",
    kind: "value",
    takes: "format",
    choices: ["text", "json", "stream-json"],
    about: "What -p writes: the answer, one JSON result, or every message as a line of JSON (needs --verbose).",
  },
  { name: "verbose", kind: "switch", about: "Show every message, not only the answer." },
  {
    name: "model",
    kind: "value",
    takes: "model",
    about: "The model: an alias (opus, sonnet, haiku), a full id, or sim for the simulator.",
  },
  {
    name: "fallback-model",
    kind: "value",
    takes: "model",
    about: "The model to continue with when the first one is overloaded.",
  },
  {
    name: "effort",
    kind: "value",
    takes: "level",
    choices: [...effortLevels, "auto"],
    about: "How much effort the model spends: low, medium, high, xhigh, max, or auto for the model's default.",
  },
  { name: "max-turns", kind: "value", takes: "n", about: "Stop after this many requests in one turn." },
  {
    name: "max-budget-usd",
    kind: "value",
    takes: "amount",
    about: "Stop before a request that could cost more than this many dollars in total.",
  },
  {
    name: "max-budget-tokens",
    kind: "value",
    takes: "count",
    about: "Stop before a request that could bring the total above this many tokens.",
  },
  {
    name: "permission-mode",
    kind: "value",
    takes: "mode",
    choices: [...permissionModes, "manual"],
    about: "What may happen without asking: default, acceptEdits, plan, dontAsk, auto or bypassPermissions.",
  },
  {
    name: "dangerously-skip-permissions",
    kind: "switch",
    about: "Allow everything except what a deny rule or a protected path forbids. For throwaway machines.",
  },
  {
    name: "allow-dangerously-skip-permissions",
    kind: "switch",
    about: "Make the bypassPermissions mode available without starting in it.",
  },
  {
    name: "allowed-tools",
    also: ["--allowedTools"],
    kind: "rules",
    takes: "rules",
    about: 'Rules that allow without asking, such as Edit or "Bash(npm test:*)".',
  },
  {
    name: "disallowed-tools",
    also: ["--disallowedTools"],
    kind: "rules",
    takes: "rules",
    about: "Rules that always deny.",
  },
  { name: "system-prompt", kind: "value", takes: "text", about: "Use this system prompt instead of Codewright's own." },
  { name: "append-system-prompt", kind: "value", takes: "text", about: "Add this to the system prompt." },
  {
    name: "agents",
    kind: "value",
    takes: "JSON",
    about: 'Agents for this run, by name: {"reviewer": {"description": "...", "prompt": "..."}}.',
  },
  { name: "agent", kind: "value", takes: "name", about: "Talk to this agent instead of the default one." },
  { name: "session-id", kind: "value", takes: "uuid", about: "The id of the new session." },
  { name: "continue", also: ["-c"], kind: "switch", about: "Continue the newest session of this folder." },
  {
    name: "resume",
    also: ["-r"],
    kind: "optional",
    takes: "id or words",
    about: "Continue the session with this id, this title, or these words in its text.",
  },
  {
    name: "fork-session",
    kind: "switch",
    about: "With --resume or --continue: continue in a copy with a new id; the original is not changed.",
  },
  {
    name: "take-over",
    kind: "switch",
    about: "With --resume or --continue: ask the process that has the session open to stop, then continue here.",
  },
  { name: "no-session-persistence", kind: "switch", about: "Do not save this session to disk." },
  {
    name: "settings",
    kind: "value",
    takes: "file or JSON",
    about: "More settings; these override project and user settings.",
  },
  {
    name: "setting-sources",
    kind: "value",
    takes: "sources",
    about: "Which settings files are read: user, project, local (comma-separated; empty for none).",
  },
  {
    name: "add-dir",
    kind: "list",
    takes: "folders",
    about: "More folders in which the agent may work.",
  },
  {
    name: "mcp-config",
    kind: "list",
    takes: "files or JSON",
    about: "MCP servers for this run; these override configured ones.",
  },
  { name: "strict-mcp-config", kind: "switch", about: "Use only the MCP servers of --mcp-config." },
  {
    name: "disable-slash-commands",
    kind: "switch",
    about: "Turn off custom commands and skills; send them as plain text.",
  },
  { name: "trust", kind: "switch", about: "Trust this folder's own settings for this run." },
  { name: "screen-reader", kind: "switch", about: "Use plain lines instead of a screen, for screen readers." },
  {
    name: "detailed-exit-codes",
    kind: "switch",
    about: "Exit with 2 usage, 3 permission missing, 4 limit reached, 5 model unavailable instead of 1.",
  },
  {
    name: "debug",
    also: ["-d"],
    kind: "attached",
    takes: "filter",
    about: "Write a debug log and print its path.",
  },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
  { name: "version", also: ["-v"], kind: "switch", about: "Show the version." },
]

/** Choices longer than this are told in the sentence. */
const mostChoices = 30

/** A flag as help shows it: its short name, its name, and what it takes. */
export function spelling(flag: Flag): string {
  const short = flag.also?.find((name) => !name.startsWith("--"))
  const choices = flag.choices?.join("|") ?? ""
  const takes = choices === "" || choices.length > mostChoices ? flag.takes : choices
  const value = takes === undefined ? "" : valueForms[flag.kind](takes)
  return `${short ? `${short}, ` : ""}--${flag.name}${value}`
}

const valueForms: { readonly [kind in Flag["kind"]]: (takes: string) => string } = {
  switch: () => "",
  value: (takes) => ` <${takes}>`,
  list: (takes) => ` <${takes}>`,
  rules: (takes) => ` <${takes}>`,
  optional: (takes) => ` [${takes}]`,
  attached: (takes) => `[=${takes}]`,
}
