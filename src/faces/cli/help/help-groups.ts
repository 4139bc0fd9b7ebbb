/** How help and the manual page order commands and flags. What is not named here comes last, so that nothing is lost. */

import type { FlagName } from "#faces/cli/flags/flags.ts"

export interface Group<Item> {
  readonly title: string
  readonly items: readonly Item[]
}

type Names<Name extends string> = readonly (readonly [title: string, names: readonly Name[]])[]

/** On the first screen. */
export const commonFlags: Names<FlagName> = [
  ["Conversation", ["continue", "resume", "bg", "model", "permission-mode"]],
  ["Scripts", ["print", "output-format", "allowed-tools"]],
]

export const commonCommands: readonly string[] = [
  "login",
  "models",
  "agents",
  "sessions",
  "config",
  "permissions",
  "mcp",
  "plugin",
  "doctor",
  "docs",
]

export const commandGroups: Names<string> = [
  [
    "Sessions",
    [
      "agents",
      "attach",
      "logs",
      "stop",
      "rm",
      "schedule",
      "workflow",
      "worktree",
      "sessions",
      "rewind",
      "replay",
      "team",
    ],
  ],
  [
    "Setup",
    ["login", "logout", "models", "config", "permissions", "sandbox", "mcp", "plugin", "hooks", "trust", "completions"],
  ],
  ["Help and checks", ["docs", "doctor", "demo"]],
  ["Installation", ["update", "uninstall"]],
  ["Servers", ["serve", "worker", "sim"]],
]

export const flagGroups: Names<FlagName> = [
  [
    "Conversation options",
    [
      "continue",
      "resume",
      "bg",
      "name",
      "model",
      "fallback-model",
      "effort",
      "agent",
      "agents",
      "add-dir",
      "fork-session",
      "take-over",
      "server",
      "session-id",
      "no-session-persistence",
      "teammate-mode",
      "screen-reader",
      "ide",
    ],
  ],
  [
    "Permission options",
    [
      "permission-mode",
      "allowed-tools",
      "disallowed-tools",
      "tools",
      "gates",
      "open-gates",
      "trust",
      "offline",
      "dangerously-skip-permissions",
      "allow-dangerously-skip-permissions",
    ],
  ],
  [
    "Options for scripts",
    [
      "print",
      "output-format",
      "input-format",
      "json-schema",
      "goal",
      "max-turns",
      "max-tool-calls",
      "max-tool-calls-per-turn",
      "max-budget-usd",
      "max-budget-tokens",
      "background-wait",
      "permission-prompts",
      "permission-prompt-tool",
      "detailed-exit-codes",
      "verbose",
      "include-partial-messages",
      "include-hook-events",
      "replay-user-messages",
      "forward-subagent-text",
    ],
  ],
  [
    "Settings and extensions",
    [
      "settings",
      "setting-sources",
      "system-prompt",
      "system-prompt-file",
      "append-system-prompt",
      "append-system-prompt-file",
      "mcp-config",
      "strict-mcp-config",
      "plugin-dir",
      "disable-slash-commands",
      "bare",
      "safe-mode",
      "init",
      "init-only",
      "maintenance",
    ],
  ],
]

/** Groups in order, without empty ones; the rest under `rest`. */
export function grouped<Item extends { readonly name: string }>(
  items: readonly Item[],
  groups: Names<string>,
  rest: string,
): readonly Group<Item>[] {
  const named = new Set(groups.flatMap(([, names]) => names))
  const all = groups.map(([title, names]) => ({ title, items: picked(items, names) }))
  return [...all, { title: rest, items: items.filter(({ name }) => !named.has(name)) }].filter(
    (group) => group.items.length > 0,
  )
}

/** In the order of the names. */
export const picked = <Item extends { readonly name: string }>(
  items: readonly Item[],
  names: readonly string[],
): readonly Item[] => names.flatMap((wanted) => items.filter(({ name }) => name === wanted))
