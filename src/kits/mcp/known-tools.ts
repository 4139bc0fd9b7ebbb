/** Which definition of a tool the person allowed: a tool that has become another one is asked about again. */

import type { Entry } from "#agent/words/entry.ts"
import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import type { KnownDefinitions } from "./ports.ts"

export const digestOf = ({ name, title, description, inputSchema, annotations }: McpToolDefinition): string =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([name, title, description, inputSchema, annotations]))
    .digest("hex")
    .slice(0, 32)

/** Why rules may not speak for a tool; undefined when it is what it was, or was never allowed. */
export function changedWords(tool: string, digest: string, known: KnownDefinitions): string | undefined {
  const before = known.get(tool)
  if (before === undefined || before === digest) return undefined
  return `${tool} is not what it was when it was allowed: its server describes it differently now, so rules do not count for it until it is allowed again (or forgotten: codewright mcp reset-approvals).`
}

/**
 * Keeps the definition that was let through: at the person's own yes, and the first time a rule allows it. In a mode that
 * asks about nothing, nobody has looked.
 */
export function rememberAllowed(entry: Entry, digest: string | undefined, known: KnownDefinitions): void {
  if (entry.kind !== "decision" || entry.behavior !== "allow" || digest === undefined) return
  const isYes = entry.reason.kind === "person"
  const isFirst = entry.reason.kind === "rule" && known.get(entry.tool) === undefined
  if ((isYes || isFirst) && known.get(entry.tool) !== digest) known.set(entry.tool, digest)
}
