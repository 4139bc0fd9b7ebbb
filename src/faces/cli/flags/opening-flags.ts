/** The flags that say how a session works, whoever opens it: a terminal, an editor, or a host in the background. */

import type { FlagName } from "./flags.ts"

export const openingFlags: readonly FlagName[] = [
  "model",
  "fallback-model",
  "effort",
  "thinking",
  "max-thinking-tokens",
  "permission-mode",
  "dangerously-skip-permissions",
  "allow-dangerously-skip-permissions",
  "gates",
  "open-gates",
  "allowed-tools",
  "disallowed-tools",
  "tools",
  "append-system-prompt",
  "append-system-prompt-file",
  "agents",
  "agent",
  "add-dir",
  "mcp-config",
  "strict-mcp-config",
  "plugin-dir",
  "max-turns",
  "max-budget-usd",
  "max-budget-tokens",
]
