/** Every flag, once: what it is called, what it takes and what it is for. The parser, the help and the reference page read this table. */

import { effortLevels } from "#agent/words/thinking.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { debugSubjects } from "./debug-subjects.ts"
import type { Flag } from "./flag.ts"
import { type PrintFlagName, printFlags } from "./print-flags.ts"

export type FlagName =
  | PrintFlagName
  | "model"
  | "fallback-model"
  | "effort"
  | "thinking"
  | "max-thinking-tokens"
  | "thinking-display"
  | "betas"
  | "permission-mode"
  | "dangerously-skip-permissions"
  | "allow-dangerously-skip-permissions"
  | "gates"
  | "open-gates"
  | "allowed-tools"
  | "disallowed-tools"
  | "tools"
  | "system-prompt"
  | "system-prompt-file"
  | "append-system-prompt"
  | "append-system-prompt-file"
  | "agents"
  | "agent"
  | "bg"
  | "json"
  | "background-host"
  | "session-id"
  | "name"
  | "continue"
  | "resume"
  | "fork-session"
  | "resume-session-at"
  | "resume-drops-turn"
  | "take-over"
  | "server"
  | "worktree"
  | "no-session-persistence"
  | "settings"
  | "setting-sources"
  | "managed-settings"
  | "bare"
  | "safe-mode"
  | "add-dir"
  | "mcp-config"
  | "strict-mcp-config"
  | "init"
  | "init-only"
  | "maintenance"
  | "plugin-dir"
  | "plugin-dir-no-mcp"
  | "await-initialize"
  | "disable-slash-commands"
  | "teammate-mode"
  | "member"
  | "trust"
  | "screen-reader"
  | "ide"
  | "offline"
  | "debug"
  | "debug-file"
  | "debug-to-stderr"
  | "profile-startup"
  | "help"
  | "man"
  | "version"

export const flags: readonly Flag<FlagName>[] = [
  ...printFlags,
  {
    name: "model",
    kind: "value",
    takes: "model",
    about: "The model: an alias (opus, sonnet, haiku), a full id, or sim for the simulator.",
  },
  {
    name: "fallback-model",
    kind: "value",
    takes: "models",
    about: "The model to continue with when the first one is overloaded; several with commas, in their order.",
  },
  {
    name: "effort",
    kind: "value",
    takes: "level",
    choices: [...effortLevels, "auto"],
    about: "How much effort the model spends: low, medium, high, xhigh, max, or auto for the model's default.",
  },
  {
    name: "thinking",
    kind: "value",
    takes: "how",
    choices: ["adaptive", "enabled", "disabled"],
    hidden: true,
    about: "Whether the model thinks: as much as it wants, always, or not at all.",
  },
  {
    name: "max-thinking-tokens",
    kind: "value",
    takes: "count",
    hidden: true,
    about: "How many tokens a model may think that takes a budget; 0 turns thinking off.",
  },
  {
    name: "thinking-display",
    kind: "value",
    takes: "how",
    choices: ["summarized", "omitted", "highlights"],
    hidden: true,
    about: "How thinking is shown: summarized or omitted. highlights counts as summarized.",
  },
  {
    name: "betas",
    kind: "list",
    takes: "names",
    hidden: true,
    about: "Beta features to ask the provider for, as in its documentation.",
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
    name: "gates",
    kind: "rules",
    takes: "names",
    about:
      "Where the session waits for you in every mode: clarify, plan, files, git, testFirst. Added to those in settings.",
  },
  {
    name: "open-gates",
    kind: "rules",
    takes: "names",
    about: "Gates of your settings, or of the session that is resumed, that this session does not have.",
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
  {
    name: "tools",
    kind: "rules",
    takes: "names",
    about: 'The built-in tools that the model has, such as Read,Edit; "" for none, default for all.',
  },
  { name: "system-prompt", kind: "value", takes: "text", about: "Use this system prompt instead of Codewright's own." },
  {
    name: "system-prompt-file",
    kind: "value",
    takes: "file",
    about: "Use the text of this file as the system prompt.",
  },
  { name: "append-system-prompt", kind: "value", takes: "text", about: "Add this to the system prompt." },
  {
    name: "append-system-prompt-file",
    kind: "value",
    takes: "file",
    about: "Add the text of this file to the system prompt.",
  },
  {
    name: "agents",
    kind: "value",
    takes: "file or JSON",
    about: 'Agents for this run, by name: {"reviewer": {"description": "...", "prompt": "..."}}.',
  },
  { name: "agent", kind: "value", takes: "name", about: "Talk to this agent instead of the default one." },
  {
    name: "bg",
    also: ["--background"],
    kind: "switch",
    about: "Work on the prompt in the background. List sessions with: codewright agents",
  },
  { name: "json", kind: "switch", about: "With --bg: print the id, folder and branch of the session as JSON." },
  {
    name: "background-host",
    kind: "switch",
    hidden: true,
    about: "For Codewright itself: run the sessions that were started with --bg.",
  },
  { name: "session-id", kind: "value", takes: "uuid", about: "The id of the new session." },
  { name: "name", also: ["-n"], kind: "value", takes: "title", about: "The title of the session." },
  { name: "continue", also: ["-c"], kind: "switch", about: "Continue the newest session of this folder." },
  {
    name: "resume",
    also: ["-r"],
    kind: "optional",
    takes: "id or words",
    about: "Continue a session, by id, title or its words.",
  },
  {
    name: "fork-session",
    kind: "switch",
    about: "With --resume or --continue: continue in a copy with a new id; the original is not changed.",
  },
  {
    name: "resume-session-at",
    kind: "value",
    takes: "uuid",
    hidden: true,
    about: "With --resume: continue after this message; what came later stays in the log as a branch.",
  },
  {
    name: "resume-drops-turn",
    kind: "value",
    takes: "uuid",
    hidden: true,
    about: "With --resume-session-at: only if nothing but the turn of this prompt is left out.",
  },
  {
    name: "take-over",
    kind: "switch",
    about: "With --resume or --continue: ask the process that has the session open to stop, then continue here.",
  },
  {
    name: "worktree",
    also: ["-w"],
    kind: "optional",
    takes: "name",
    oneWord: true,
    about:
      "Work in a git worktree of its own, on a branch of its own; it is named after the prompt unless you name it.",
  },
  {
    name: "server",
    kind: "value",
    takes: "url",
    about: "With --resume: follow a session of this server (codewright serve), and answer what it asks.",
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
    name: "managed-settings",
    kind: "value",
    takes: "file or JSON",
    hidden: true,
    about: "Settings that nothing else overrides, set by the program that runs Codewright.",
  },
  {
    name: "bare",
    kind: "switch",
    about:
      "Load nothing from disk: no settings, memory, hooks, skills, agents, servers or saved key; flags still count.",
  },
  {
    name: "safe-mode",
    kind: "switch",
    about: "Load settings and the saved key, but no memory, hooks, skills, commands, agents or MCP servers.",
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
  { name: "init", kind: "switch", about: "Run the Setup hooks first, which prepare the project." },
  { name: "init-only", kind: "switch", about: "Run the Setup and SessionStart hooks, then exit." },
  { name: "maintenance", kind: "switch", about: "Run the Setup hooks first, as for regular upkeep." },
  {
    name: "plugin-dir",
    kind: "value",
    takes: "folder",
    about: "Load the plugin in this folder for this run: its commands, skills, agents, hooks and servers. Repeatable.",
  },
  {
    name: "plugin-dir-no-mcp",
    kind: "value",
    takes: "folder",
    hidden: true,
    about: "The same without its MCP servers.",
  },
  {
    name: "await-initialize",
    kind: "switch",
    hidden: true,
    about: "The plugins of the run are named in the first message of the program that drives it.",
  },
  {
    name: "disable-slash-commands",
    kind: "switch",
    about: "Turn off custom commands and skills; send them as plain text.",
  },
  {
    name: "teammate-mode",
    kind: "value",
    takes: "mode",
    choices: ["auto", "in-process", "tmux", "process", "fleet"],
    about:
      "Where members of a team run: in-process, in panes of tmux, in processes of their own, auto (panes inside tmux), or fleet (sessions of a fleet, on any of its workers).",
  },
  {
    name: "member",
    kind: "value",
    takes: "file",
    hidden: true,
    about: "For Codewright itself: be the member of a team that the file describes.",
  },
  { name: "trust", kind: "switch", about: "Trust this folder's own settings for this run." },
  {
    name: "screen-reader",
    also: ["--ax-screen-reader"],
    kind: "switch",
    about: "Use plain lines instead of a screen, for screen readers.",
  },
  {
    name: "ide",
    kind: "switch",
    about: "Connect to the editor that has this folder open: the model sees what you select there.",
  },
  {
    name: "offline",
    kind: "switch",
    about:
      "Contact nothing but the model: no web tools, remote MCP servers or HTTP hooks; commands, hooks and servers run in the sandbox without a network, or not at all.",
  },
  {
    name: "debug",
    also: ["-d"],
    kind: "attached",
    takes: "filter",
    words: debugSubjects,
    about:
      "Write what happens inside to a file whose path is printed. A filter such as http,mcp,hooks,permissions or !http narrows it.",
  },
  {
    name: "debug-file",
    kind: "value",
    takes: "file",
    about: "Write what --debug says to this file.",
  },
  { name: "debug-to-stderr", kind: "switch", about: "With -p, write what --debug says to standard error." },
  {
    name: "profile-startup",
    kind: "switch",
    about: "Print how long each part of the start took: before the answer with -p, after the conversation otherwise.",
  },
  {
    name: "help",
    also: ["-h"],
    kind: "switch",
    about: "Show the help: one screen, or every command and option with --help all.",
  },
  { name: "man", kind: "switch", about: "Print the manual page, to be read with: codewright --man | man -l -" },
  { name: "version", also: ["-v"], kind: "switch", about: "Show the version." },
]
