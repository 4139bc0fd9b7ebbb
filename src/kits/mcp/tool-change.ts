/** How a tool differs from the definition the user allowed. */

import type { FileDiff } from "#agent/words/display.ts"
import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import { type Hunk, hunksOf } from "#lib/diff.ts"
import { definitionLines } from "./definition.ts"
import { digestOf } from "./known-tools.ts"
import type { KnownDefinitions } from "./ports.ts"

/** Undefined if it is unchanged, or was never allowed. If the old definition is unknown, all of it is new. */
export async function changeOf(
  tool: string,
  definition: McpToolDefinition,
  known: KnownDefinitions,
): Promise<FileDiff | undefined> {
  const digest = known.get(tool)
  if (digest === undefined || digest === digestOf(definition)) return undefined
  const kept = known.definition(digest)
  // The old version shown must be the one that was allowed.
  const before = kept && digestOf(kept) === digest ? kept : undefined
  const now = definitionLines(definition)
  const hunks = await hunksOf(before ? definitionLines(before) : "", now)
  return {
    path: tool,
    hunks: hunks.length > 0 ? shortened(hunks) : await hunksOf(now, `${now}${onlyUnseen}\n`),
    created: before === undefined,
  }
}

/** Cuts what nobody could read, and says so. */
function shortened(hunks: readonly Hunk[]): readonly Hunk[] {
  let room = mostLines
  return hunks.flatMap((hunk) => {
    if (room <= 0) return []
    const lines = hunk.lines.slice(0, room)
    room -= hunk.lines.length
    return [{ ...hunk, lines: room < 0 ? [...lines, `+${tooLong}`] : lines }]
  })
}

const mostLines = 1_000
const tooLong = "More has changed than can be shown here."

const onlyUnseen = "It changed only in what the model does not get: what is cut off, or cannot be seen."
