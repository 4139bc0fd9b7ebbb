/** What a language server found, in words for the model: bounded, and without files that a rule hides. */

import type { CodeSymbol, Location, TextChange } from "#ground/lsp/protocol.ts"

export interface ResultGround {
  readonly show: (path: string) => string
  /** Whether it is in one of the session's folders: only of those are lines shown. */
  readonly isInside: (path: string) => boolean
  readonly isHidden: (path: string) => boolean
  /** The lines of a file; none if it cannot be read. */
  readonly lines: (path: string, signal: AbortSignal) => Promise<readonly string[]>
}

const mostPlaces = 100
const mostSymbols = 300
const mostFiles = 40
const longestLine = 200
const longestHover = 8_000

const hiddenWords = "[Some of it is in files that a permission rule hides.]"

export async function placesWords(
  found: readonly Location[],
  none: string,
  ground: ResultGround,
  signal: AbortSignal,
): Promise<string> {
  const visible = found.filter(({ path }) => !ground.isHidden(path))
  const hidden = visible.length < found.length ? [hiddenWords] : []
  if (visible.length === 0) return hidden[0] ?? none
  const shown = visible.slice(0, mostPlaces)
  const texts = await linesOf(shown, ground, signal)
  return [
    ...shown.map(({ path, line, column }) => {
      const text = texts.get(path)?.[line - 1]
      return `${ground.show(path)}:${line}:${column}${text === undefined ? "" : `  ${cut(text.trim())}`}`
    }),
    ...(visible.length > shown.length ? [`[${visible.length - shown.length} more are not shown.]`] : []),
    ...hidden,
  ].join("\n")
}

/** Nothing outside the session's folders is opened: what a server names is not what the user allowed. */
async function linesOf(
  places: readonly Pick<Location, "path">[],
  ground: ResultGround,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = [...new Set(places.map(({ path }) => path))].filter(ground.isInside).slice(0, mostFiles)
  const texts = new Map<string, readonly string[]>()
  for (const path of paths) texts.set(path, await ground.lines(path, signal))
  return texts
}

export function symbolsWords(found: readonly CodeSymbol[], none: string, ground: ResultGround): string {
  const visible = found.filter(({ path }) => path === undefined || !ground.isHidden(path))
  const hidden = visible.length < found.length ? [hiddenWords] : []
  if (visible.length === 0) return hidden[0] ?? none
  const shown = visible.slice(0, mostSymbols)
  return [
    ...shown.map(({ name, kind, depth, line, endLine, path, within }) => {
      const place =
        path === undefined ? (line === endLine ? `${line}` : `${line}-${endLine}`) : `${ground.show(path)}:${line}`
      return `${"  ".repeat(depth)}${kind} ${name}${within === undefined ? "" : ` in ${within}`}  ${place}`
    }),
    ...(visible.length > shown.length ? [`[${visible.length - shown.length} more are not shown.]`] : []),
    ...hidden,
  ].join("\n")
}

export function hoverWords(text: string): string {
  if (text.trim() === "") return "The server knows nothing about this place."
  return text.length > longestHover ? `${text.slice(0, longestHover).toWellFormed()}\n[cut]` : text
}

export async function renameWords(
  changes: readonly TextChange[],
  ground: ResultGround,
  signal: AbortSignal,
): Promise<string> {
  if (changes.length === 0) return "The server would change nothing."
  const visible = changes.filter(({ path }) => !ground.isHidden(path) && ground.isInside(path))
  const files = new Map<string, TextChange[]>()
  for (const change of visible.slice(0, mostPlaces)) files.set(change.path, [...(files.get(change.path) ?? []), change])
  const texts = await linesOf(visible, ground, signal)
  const left = visible.length - mostPlaces
  const fileCount = new Set(visible.map(({ path }) => path)).size
  return [
    `The rename would change ${visible.length} ${visible.length === 1 ? "place" : "places"} in ${fileCount} ${fileCount === 1 ? "file" : "files"}. Nothing was changed; apply it with Edit.`,
    ...[...files].flatMap(([path, all]) => [
      `${ground.show(path)}:`,
      ...byLine(all).map(([line, edits]) => lineWords(line, edits, texts.get(path)?.[line - 1])),
    ]),
    ...(left > 0 ? [`[${left} more are not shown.]`] : []),
    ...(visible.length < changes.length ? ["[It would also change files that you may not change.]"] : []),
  ].join("\n")
}

function byLine(changes: readonly TextChange[]): readonly (readonly [number, readonly TextChange[]])[] {
  const lines = new Map<number, TextChange[]>()
  for (const change of changes) lines.set(change.line, [...(lines.get(change.line) ?? []), change])
  return [...lines].toSorted(([one], [other]) => one - other)
}

function lineWords(line: number, edits: readonly TextChange[], text: string | undefined): string {
  if (text === undefined || edits.some(({ endLine }) => endLine !== line)) return `  ${line}`
  const after = edits
    .toSorted((one, other) => other.column - one.column)
    .reduce((sum, { column, endColumn, text: put }) => sum.slice(0, column - 1) + put + sum.slice(endColumn - 1), text)
  return `  ${line} - ${cut(text.trim())}\n  ${line} + ${cut(after.trim())}`
}

const cut = (text: string): string =>
  text.length > longestLine ? `${text.slice(0, longestLine).toWellFormed()}…` : text
