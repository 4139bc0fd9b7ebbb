/** What a call changes in folders that a setting excludes from undo. */

import type { ExcludedFolder } from "#ground/workspace/excluded-folders.ts"
import { isBelow, liesIn } from "#lib/lies-in.ts"
import { forConsent } from "#lib/printable.ts"
import type { JudgedCall } from "./call.ts"

/** The first such folder that it is known to write to, by its name in the settings; a command also one that it changes as a whole. */
export function excludedByCall(
  { writes, commands, forms }: JudgedCall,
  exclusions: readonly ExcludedFolder[],
): string | undefined {
  if (exclusions.length === 0) return undefined
  const real = writes.map((path) => forms(path).at(-1) ?? path)
  const isCommand = commands.length > 0
  return exclusions.find(({ path }) => real.some((one) => liesIn(one, path) || (isCommand && isBelow(path, one))))?.name
}

/** For the question about a command: it may change any of them. */
export const excludedWords = (exclusions: readonly ExcludedFolder[]): string =>
  `Not covered by /rewind: ${[...new Set(exclusions.map(({ name }) => forConsent(name)))].join(", ")} (undo.exclude)`
