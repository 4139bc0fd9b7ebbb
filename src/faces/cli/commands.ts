/** Every command, once: its name, what it is for, and where its code is, loaded only when it runs. */

import type { DescribedCommand } from "./help/command-help.ts"
import type { Io } from "./io.ts"

interface Command extends DescribedCommand {
  readonly takes: string
  readonly run: (argv: readonly string[], io: Io) => Promise<number>
}

export const commands: readonly Command[] = [
  {
    name: "demo",
    takes: "",
    about: "Watch Codewright fix a sample repository with the simulated model.",
    help: async () => (await import("./demo.ts")).help,
    run: async (argv, io) => (await import("./demo.ts")).demoCommand(argv, io),
  },
  {
    name: "sim",
    takes: "[options]",
    about: "Start the simulated model as a server.",
    help: async () => (await import("./sim.ts")).help,
    run: async (argv, io) => (await import("./sim.ts")).simCommand(argv, io),
  },
  {
    name: "sessions",
    takes: "list|search|show|export|questions|answer|rename|delete|stats",
    about: "List, search, export and delete sessions; see what they cost, and answer what they ask.",
    help: async () => (await import("./sessions/sessions.ts")).help,
    run: async (argv, io) => (await import("./sessions/sessions.ts")).sessionsCommand(argv, io),
  },
  {
    name: "team",
    takes: "list|show|delete",
    about: "Show shared task lists: what is done, what is under way and what waits. Delete old ones.",
    help: async () => (await import("./team/team.ts")).help,
    run: async (argv, io) => (await import("./team/team.ts")).teamCommand(argv, io),
  },
  {
    name: "worktree",
    takes: "list|merge|remove",
    about: "Show the worktrees that sessions have left; merge or remove one.",
    help: async () => (await import("./worktree/worktree.ts")).help,
    run: async (argv, io) => (await import("./worktree/worktree.ts")).worktreeCommand(argv, io),
  },
  {
    name: "serve",
    takes: "[options]",
    about: "Serve sessions over HTTP, so that they can wait for answers without a terminal.",
    help: async () => (await import("./fleet/serve.ts")).help,
    run: async (argv, io) => (await import("./fleet/serve.ts")).serveCommand(argv, io),
  },
  {
    name: "acp",
    takes: "[options]",
    about: "Run as an agent inside an editor that speaks the Agent Client Protocol.",
    help: async () => (await import("./editor/acp.ts")).help,
    run: async (argv, io) => (await import("./editor/acp.ts")).acpCommand(argv, io),
  },
  {
    name: "worker",
    takes: "--database postgres://…",
    about: "Run sessions from a shared database on this machine.",
    help: async () => (await import("./fleet/worker.ts")).help,
    run: async (argv, io) => (await import("./fleet/worker.ts")).workerCommand(argv, io),
  },
  {
    name: "rewind",
    takes: "<session> [--to <prompt>]",
    about: "Rewind a session's files and conversation, or undo that.",
    help: async () => (await import("./sessions/rewind.ts")).help,
    run: async (argv, io) => (await import("./sessions/rewind.ts")).rewindCommand(argv, io),
  },
  {
    name: "replay",
    takes: "<session>",
    about: "Replay a session in a copy of its folder and show where the result differs.",
    help: async () => (await import("./replay/replay.ts")).help,
    run: async (argv, io) => (await import("./replay/replay.ts")).replayCommand(argv, io),
  },
  {
    name: "login",
    takes: "",
    about: "Add or change your API key. It is tested before it is saved.",
    help: async () => (await import("./models/login.ts")).loginHelp,
    run: async (argv, io) => (await import("./models/login.ts")).loginCommand(argv, io),
  },
  {
    name: "logout",
    takes: "",
    about: "Remove the saved API key.",
    help: async () => (await import("./models/login.ts")).logoutHelp,
    run: async (argv, io) => (await import("./models/login.ts")).logoutCommand(argv, io),
  },
  {
    name: "models",
    takes: "[provider or name] | test <model>",
    about: "List providers and their models, with prices and abilities; test one.",
    help: async () => (await import("./models/models.ts")).help,
    run: async (argv, io) => (await import("./models/models.ts")).modelsCommand(argv, io),
  },
  {
    name: "doctor",
    takes: "[--repair <session>]",
    about: "Check settings, rules, logs and required programs; recover a damaged session.",
    help: async () => (await import("./doctor/doctor.ts")).help,
    run: async (argv, io) => (await import("./doctor/doctor.ts")).doctorCommand(argv, io),
  },
  {
    name: "config",
    takes: "list|get|set|explain|schema",
    about: "Show and change settings, and where each one comes from.",
    help: async () => (await import("./config.ts")).help,
    run: async (argv, io) => (await import("./config.ts")).configCommand(argv, io),
  },
  {
    name: "permissions",
    takes: "list|add|remove|explain",
    about: "Show and change permission rules; explain the decision about a call.",
    help: async () => (await import("./permissions/permissions.ts")).help,
    run: async (argv, io) => (await import("./permissions/permissions.ts")).permissionsCommand(argv, io),
  },
  {
    name: "sandbox",
    takes: "explain|run",
    about: "Show what the sandbox enforces here, and run a command in it.",
    help: async () => (await import("./permissions/sandbox.ts")).help,
    run: async (argv, io) => (await import("./permissions/sandbox.ts")).sandboxCommand(argv, io),
  },
  {
    name: "mcp",
    takes: "list|get|add|add-json|remove|login|logout|approve|read-only|serve|reset-approvals",
    about: "Add and remove MCP servers, log in, and serve our tools.",
    help: async () => (await import("./extensions/mcp.ts")).help,
    run: async (argv, io) => (await import("./extensions/mcp.ts")).mcpCommand(argv, io),
  },
  {
    name: "plugin",
    takes: "list|details|install|enable|disable|update|remove|validate|marketplace",
    about: "Install, update and inspect plugins, and manage marketplaces.",
    help: async () => (await import("./plugins/plugin.ts")).help,
    run: async (argv, io) => (await import("./plugins/plugin.ts")).pluginCommand(argv, io),
  },
  {
    name: "hooks",
    takes: "list|test",
    about: "Show the active hooks, and test those of an event.",
    help: async () => (await import("./extensions/hooks.ts")).help,
    run: async (argv, io) => (await import("./extensions/hooks.ts")).hooksCommand(argv, io),
  },
  {
    name: "trust",
    takes: "[folder]",
    about: "Trust a folder's own settings.",
    help: async () => (await import("./permissions/trust.ts")).help,
    run: async (argv, io) => (await import("./permissions/trust.ts")).trustCommand(argv, io),
  },
  {
    name: "import",
    takes: "claude|codex|gemini|opencode",
    about: "Import settings, servers, rules and conversations from another agent, after a preview.",
    help: async () => (await import("./import/import.ts")).help,
    run: async (argv, io) => (await import("./import/import.ts")).importCommand(argv, io),
  },
  {
    name: "docs",
    takes: "[page]",
    about: "Read the guides and reference pages of this version.",
    help: async () => (await import("./help/docs.ts")).help,
    run: async (argv, io) => (await import("./help/docs.ts")).docsCommand(argv, io),
  },
  {
    name: "update",
    takes: "[--check] [--to <version>] [--back]",
    about: "Install the latest version, or go back to the one before.",
    help: async () => (await import("./install/update.ts")).help,
    run: async (argv, io) => (await import("./install/update.ts")).updateCommand(argv, io),
  },
  {
    name: "uninstall",
    takes: "[--keep-data] [--all]",
    about: "Remove Codewright from this machine.",
    help: async () => (await import("./install/uninstall.ts")).help,
    run: async (argv, io) => (await import("./install/uninstall.ts")).uninstallCommand(argv, io),
  },
  {
    name: "completions",
    takes: "bash|zsh|fish",
    about: "Print a script that completes commands, flags and sessions in your shell.",
    help: async () => (await import("./help/completions.ts")).help,
    run: async (argv, io) => (await import("./help/completions.ts")).completionsCommand(argv, io, commands),
  },
]
