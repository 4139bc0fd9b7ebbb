/**
 * Flags of Claude Code that this program cannot follow. Where ignoring one changes neither what is done nor what is
 * allowed, it is ignored, with a note; any other is refused, with what to do instead.
 */

import type { Arguments } from "./argv.ts"
import type { Flag } from "./flag.ts"

/** `about` says why nothing is lost, or what to do instead. */
export interface ForeignFlag extends Flag {
  readonly fate: "ignored" | "refused"
}

const remote = "Codewright runs on this machine only. Run it where the work is."
const plugin =
  "Plugins are not downloaded for one run. Install it with codewright plugin install, or unpack it and use --plugin-dir."

/** The parser must know them, or their values would count as the prompt. */
export const foreignFlags: readonly ForeignFlag[] = [
  { name: "autocompact", kind: "value", fate: "ignored", about: "the setting autoCompactEnabled decides" },
  { name: "brief", kind: "switch", fate: "ignored", about: "there is no tool for messages besides the answer" },
  { name: "enable-auto-mode", kind: "switch", fate: "ignored", about: "use --permission-mode auto" },
  { name: "enable-auth-status", kind: "switch", fate: "ignored", about: "there are no such messages" },
  {
    name: "exclude-dynamic-system-prompt-sections",
    kind: "switch",
    fate: "ignored",
    about: "the system prompt is cached as it is",
  },
  {
    name: "managed-settings-in-initialize",
    kind: "switch",
    fate: "refused",
    about: "Give these settings with --managed-settings, so that they are in force from the start.",
  },
  { name: "mcp-debug", kind: "switch", fate: "ignored", about: "use --debug" },
  { name: "no-chrome", kind: "switch", fate: "ignored", about: "there is no browser" },
  { name: "prompt-suggestions", kind: "optional", fate: "ignored", about: "use the setting promptSuggestions" },
  {
    name: "system-prompt-snapshot",
    kind: "value",
    fate: "ignored",
    about: "a resumed session always gets the current system prompt",
  },
  { name: "remote-control-session-name-prefix", kind: "value", fate: "ignored", about: "there is no remote control" },
  { name: "workload", kind: "value", fate: "ignored", about: "requests are not tagged" },
  { name: "task-budget", kind: "value", fate: "ignored", about: "use --max-budget-tokens to limit tokens" },

  {
    name: "channels",
    kind: "list",
    fate: "refused",
    about: "Servers cannot send messages into a session. Send prompts with --input-format stream-json instead.",
  },
  { name: "chrome", kind: "switch", fate: "refused", about: "Add an MCP server for a browser with --mcp-config." },
  { name: "cloud", kind: "optional", fate: "refused", about: remote },
  {
    name: "desktop",
    kind: "switch",
    fate: "refused",
    about: "There is no desktop program. Run codewright in a terminal.",
  },
  { name: "environment", kind: "value", fate: "refused", about: remote },
  { name: "file", kind: "list", fate: "refused", about: "Name the file in the prompt: @path." },
  {
    name: "from-pr",
    kind: "optional",
    fate: "refused",
    about: "Use --resume with the session's id or words from its text.",
  },
  {
    name: "project-config-root",
    kind: "value",
    fate: "refused",
    about:
      "Project settings come from the working folder. Start there with --setting-sources user, and --settings for the rest.",
  },
  { name: "plugin-url", kind: "list", fate: "refused", about: plugin },
  { name: "remote-control", kind: "optional", fate: "refused", about: remote },
  {
    name: "restricted",
    kind: "switch",
    fate: "refused",
    about: "Use --permission-mode plan, or --tools Read,Grep,Glob.",
  },
  { name: "rewind-files", kind: "value", fate: "refused", about: "Use codewright rewind." },
  { name: "teleport", kind: "optional", fate: "refused", about: remote },
  { name: "tmux", kind: "switch", fate: "refused", about: "Start codewright inside tmux." },
]

export interface Foreign {
  readonly refused: string | undefined
  readonly notes: readonly string[]
}

export function foreignIn(args: Pick<Arguments, "has">): Foreign {
  const presentFlags = foreignFlags.filter(({ name }) => args.has(name))
  const refused = presentFlags.find(({ fate }) => fate === "refused")
  return {
    refused: refused && `--${refused.name} is not supported. ${refused.about}`,
    notes: presentFlags.flatMap(({ name, fate, about }) =>
      fate === "ignored" ? [`Ignoring --${name}: ${about}.`] : [],
    ),
  }
}
