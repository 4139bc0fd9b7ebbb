/** Calls that were not permitted, as one line: whoever runs a script must see why nothing was done. */

import { forConsent } from "#lib/printable.ts"
import type { Denial, Tally } from "./tally.ts"

const mostNamed = 3
const longestName = 80

/** Undefined if everything was permitted. */
export function deniedWords({
  denials,
  unanswered,
  byHooks = [],
}: Pick<Tally, "denials" | "unanswered" | "byHooks">): string | undefined {
  const calls = [...new Set(denials.filter(({ tool_use_id }) => !byHooks.includes(tool_use_id)).map(callWords))]
  if (calls.length === 0) return undefined
  const named = calls.slice(0, mostNamed).join(", ")
  const more = calls.length > mostNamed ? ` and ${calls.length - mostNamed} more` : ""
  // A rule that denies a call is meant to.
  const advice = unanswered > 0 ? " Allow calls with --allowed-tools or permissions.allow in the settings." : ""
  return `Not permitted: ${named}${more}.${advice}`
}

function callWords({ tool_name, tool_input }: Denial): string {
  const operand = operands.map((name) => tool_input[name]).find((value) => typeof value === "string" && value !== "")
  if (typeof operand !== "string") return forConsent(tool_name)
  const line = forConsent(operand.trim().split("\n")[0] ?? "")
  return `${forConsent(tool_name)}(${line.length > longestName ? `${line.slice(0, longestName - 1)}…` : line})`
}

const operands = ["command", "file_path", "notebook_path", "path", "url", "query", "pattern", "skill", "subagent_type"]
