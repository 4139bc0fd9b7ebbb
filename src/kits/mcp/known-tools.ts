/** Which definition of a tool the user allowed: a tool that changed since is asked about again. */

import type { Reason } from "#agent/words/permission.ts"
import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import type { KnownDefinitions } from "./ports.ts"

export const digestOf = ({ name, title, description, inputSchema, annotations }: McpToolDefinition): string =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([name, title, description, inputSchema, annotations]))
    .digest("hex")
    .slice(0, 32)

/** Why rules may not allow a tool; undefined if it is unchanged, or was never allowed. */
export function changedWords(tool: string, digest: string, known: KnownDefinitions): string | undefined {
  const before = known.get(tool)
  if (before === undefined || before === digest) return undefined
  return `${tool} has changed since it was allowed, so rules do not apply to it until it is allowed again (or forgotten: codewright mcp reset-approvals).`
}

/** Remembers the definition that was allowed: by the user's own answer, and the first time a rule allows it. In a mode that never asks, nobody has looked. */
export function rememberAllowed(
  tool: string,
  definition: McpToolDefinition,
  { kind }: Reason,
  known: KnownDefinitions,
): void {
  const digest = digestOf(definition)
  const before = known.get(tool)
  const isFirst = kind === "rule" && before === undefined
  if ((kind === "person" || isFirst) && before !== digest) known.set(tool, digest, definition)
}
