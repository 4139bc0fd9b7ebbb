/**
 * Small repairs for a failing test: a few known slips, searched for in what the test calls. A guess to try, not an
 * insight.
 */

import type { SourceFile } from "./project.ts"
import type { Failure } from "./test-output.ts"

export interface Repair {
  readonly path: string
  readonly line: number
  readonly before: string
  readonly after: string
  readonly because: string
}

interface Slip {
  readonly pattern: RegExp
  readonly swap: { readonly [found: string]: string }
  readonly because: string
}

/** Likeliest first. */
const slips: readonly Slip[] = [
  { pattern: /<=(?=\s*[\w.]+\.length\b)/g, swap: { "<=": "<" }, because: "the loop ran one step past the end" },
  {
    pattern: /(?<=\.length) - 1(?=\s*[;)])/g,
    swap: { " - 1": "" },
    because: "the last element was left out",
  },
  {
    pattern: /(?<=\s)[<>](?=\s)/g,
    swap: { "<": "<=", ">": ">=" },
    because: "the comparison left out the boundary itself",
  },
  {
    pattern: /(?<=\s)[<>]=(?=\s)/g,
    swap: { "<=": "<", ">=": ">" },
    because: "the comparison took in the boundary, one too many",
  },
  {
    pattern: /(?<=\s)[+-](?=\s)/g,
    swap: { "+": "-", "-": "+" },
    because: "it added where it should subtract, or the other way round",
  },
  { pattern: /&&|\|\|/g, swap: { "&&": "||", "||": "&&" }, because: "and and or were exchanged" },
  {
    pattern: /Math\.(?:floor|ceil)/g,
    swap: { "Math.floor": "Math.ceil", "Math.ceil": "Math.floor" },
    because: "it rounded the wrong way",
  },
]

/** Likeliest first. */
export function proposeRepairs(sources: readonly SourceFile[], test: SourceFile, failure: Failure): readonly Repair[] {
  const called = namesCalled(test, failure)
  const suspects = sources.flatMap((source) => suspectLines(source, called).map((line) => ({ source, line })))
  return slips.flatMap((slip) => suspects.flatMap(({ source, line }) => repairsOf(source, line, slip)))
}

/** An edit whose old text is unique: lines above are included until it is. */
export function toEdit(
  { path, line, after }: Repair,
  source: SourceFile,
): { readonly old: string; readonly new: string; readonly path: string } {
  const whole = source.lines.join("\n")
  for (let from = line - 1; ; from--) {
    const above = source.lines.slice(from, line - 1)
    const old = [...above, source.lines[line - 1] ?? ""].join("\n")
    if (from === 0 || whole.split(old).length === 2) return { path, old, new: [...above, after].join("\n") }
  }
}

/** What a change fixed, if it was one of ours. */
export function reasonFor(before: string, after: string): string | undefined {
  const source = { path: "", lines: [before] }
  return slips.find((slip) => repairsOf(source, 1, slip).some((repair) => repair.after === after))?.because
}

function repairsOf({ path, lines }: SourceFile, line: number, { pattern, swap, because }: Slip): readonly Repair[] {
  const before = lines[line - 1] ?? ""
  return [...before.matchAll(pattern)].map(({ 0: found, index }) => ({
    path,
    line,
    before,
    after: before.slice(0, index) + (swap[found] ?? found) + before.slice(index + found.length),
    because,
  }))
}

/** The lines of the functions the failing test calls, and of those they call; all lines when there are none. */
function suspectLines({ lines }: SourceFile, called: ReadonlySet<string>): readonly number[] {
  const bodies = lines.flatMap((text, index) => {
    const name = /^\s*(?:export\s+)?(?:async\s+)?(?:function\s+|(?:const|let)\s+|def\s+)(\w+)/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, lines: bodyFrom(lines, index) }]
  })
  const direct = bodies.filter(({ name }) => called.has(name))
  const inner = new Set(direct.flatMap((body) => body.lines.flatMap((line) => wordsIn(lines[line - 1] ?? ""))))
  const indirect = bodies.filter((body) => inner.has(body.name) && !direct.includes(body))
  const found = [...direct, ...indirect].flatMap((body) => body.lines)
  const chosen = found.length > 0 ? [...new Set(found)] : lines.map((_, index) => index + 1)
  return chosen.filter((line) => !/^\s*(\/\/|\/?\*|#|import\b)/.test(lines[line - 1] ?? ""))
}

/** From its first line to the one that closes it: the next that is not indented further. */
function bodyFrom(lines: readonly string[], start: number): readonly number[] {
  const indent = indentOf(lines[start] ?? "")
  const length = lines.slice(start + 1).findIndex((text) => text.trim() !== "" && indentOf(text) <= indent)
  const end = length === -1 ? lines.length - 1 : start + 1 + length
  const closes = /^\s*[}\])]/.test(lines[end] ?? "")
  return Array.from(
    { length: (closes ? end : Math.max(start, end - 1)) - start + 1 },
    (_, offset) => start + offset + 1,
  )
}

function namesCalled({ lines }: SourceFile, { name, line }: Failure): ReadonlySet<string> {
  const named = lines.findIndex((text) => text.includes(name))
  const start = named === -1 ? Math.max(0, line - 1) : named
  return new Set(bodyFrom(lines, start).flatMap((at) => wordsIn(lines[at - 1] ?? "")))
}

const indentOf = (text: string): number => text.length - text.trimStart().length
const wordsIn = (text: string): readonly string[] => text.match(/\b[A-Za-z_$][\w$]*/g) ?? []
