/** The flags of `codewright mcp serve`: what its configuration may say about calls and agents. */

import type { Flag } from "./flag.ts"
import { type FlagName, flags } from "./flags.ts"

const offered: readonly FlagName[] = [
  "tools",
  "allowed-tools",
  "disallowed-tools",
  "permission-mode",
  "dangerously-skip-permissions",
  "model",
  "fallback-model",
  "effort",
  "append-system-prompt",
  "settings",
  "setting-sources",
  "add-dir",
  "mcp-config",
  "strict-mcp-config",
  "plugin-dir",
  "safe-mode",
  "trust",
  "offline",
  "max-turns",
  "max-budget-usd",
  "max-budget-tokens",
]

/** In the words of a server: its calls come from a client, and each task has a session of its own. */
const abouts: { readonly [name in FlagName]?: string } = {
  tools: "The tools to serve, such as Read,Grep,agent; all by default. They limit the agent, too.",
  model: "The model of agents whose call names none.",
  "max-turns": "Stop an agent after this many requests in one call.",
  "max-budget-usd": "Stop an agent before its session could cost more than this many dollars.",
  "max-budget-tokens": "Stop an agent before its session could use more than this many tokens.",
}

export const mcpServeFlags: readonly Flag<FlagName>[] = flags
  .filter(({ name }) => offered.includes(name))
  .map((flag) => ({ ...flag, about: abouts[flag.name] ?? flag.about }))
