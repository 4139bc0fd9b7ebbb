/** What `codewright replay` says about what it saw. */

import { hunksOf } from "#lib/diff.ts"
import { forConsent } from "#lib/printable.ts"
import type { Comparison, Divergence } from "#session/replay/compare.ts"
import type { TreeDifference, TreeReport } from "./replay-tree.ts"

const mostLines = 40
const mostCharacters = 200
const mostPaths = 20

export async function replayLines(
  { requests, results, first }: Comparison,
  tree: TreeReport | undefined,
): Promise<readonly string[]> {
  const figures = `${counted(requests, "request")} and ${counted(results, "result")}`
  return [...(first ? await divergenceLines(first, figures) : [`${figures} are identical.`]), ...treeLines(tree)]
}

async function divergenceLines({ where, ...texts }: Divergence, figures: string): Promise<readonly string[]> {
  const was = readable(texts.was)
  const is = readable(texts.is)
  const lines = (await hunksOf(`${was}\n`, `${is}\n`)).flatMap(({ lines: shown }) => shown)
  const more = lines.length - mostLines
  return [
    `Of ${figures}, this is the first difference: ${forConsent(where)}`,
    ...lines.slice(0, mostLines).map((line) => `    ${line[0] ?? " "} ${around(forConsent(line.slice(1)), was, is)}`),
    ...(more > 0 ? [`    ... ${counted(more, "more line")}`] : []),
    "    (- original, + replay; later differences may follow from this one)",
  ]
}

/** Blocks other than text are sent as JSON; here their fields and lines are shown one below the other. */
function readable(text: string): string {
  if (!text.startsWith("{")) return text
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
      .replaceAll(String.raw`\n`, "\n")
      .replaceAll(String.raw`\"`, '"')
  } catch {
    return text
  }
}

/** The part of a long line where the two differ. */
function around(line: string, was: string, is: string): string {
  if (line.length <= mostCharacters) return line
  let same = 0
  while (same < was.length && was[same] === is[same]) same++
  // Where the texts are one line each, what they share at the beginning says nothing.
  const from = was.includes("\n") || is.includes("\n") ? 0 : Math.max(0, same - 60)
  const cut = line.slice(from, from + mostCharacters)
  return `${from > 0 ? "..." : ""}${cut}${from + mostCharacters < line.length ? "..." : ""}`
}

const words: { readonly [what in TreeDifference["what"]]: string } = {
  missing: "is missing in the replay",
  more: "exists only in the replay",
  content: "has different content",
  mode: "has different permissions",
  kind: "is a different kind of file",
}

function treeLines(tree: TreeReport | undefined): readonly string[] {
  if (!tree) return ["The final files cannot be compared: the last snapshot no longer exists."]
  const { files, digest, differences } = tree
  if (differences.length === 0)
    return [`The final files are identical: ${counted(files, "file")}, digest ${digest.slice(0, 12)}.`]
  const more = differences.length - mostPaths
  return [
    `The final files differ in ${counted(differences.length, "place")}:`,
    ...differences.slice(0, mostPaths).map(({ path, what }) => `    ${forConsent(path)} ${words[what]}`),
    ...(more > 0 ? [`    ... and ${more} more`] : []),
  ]
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`
