/** Lines of a review: numbered, coloured, with the words that changed, and a button to comment on each. */

import { memo, type NamedExoticComponent, type ReactNode } from "react"
import { changeIn } from "#faces/view/diff-words.ts"
import { type Language, languageOfFile } from "#faces/view/syntax/languages.ts"
import { type OpenToken, openScan, type Token } from "#faces/view/syntax/scan.ts"
import { marked } from "#faces/web/page/diff.tsx"
import { type LineRow, placeOf, type SplitRow } from "./review-rows.ts"

export type OnComment = (place: { readonly side: "old" | "new"; readonly line: number }) => void

interface LinesProps<Row> {
  readonly path: string
  readonly rows: readonly Row[]
  /** Undefined where nobody may comment. */
  readonly onComment: OnComment | undefined
}

export const UnifiedLines: NamedExoticComponent<LinesProps<LineRow>> = memo(function UnifiedLines(props) {
  const { path, rows, onComment } = props
  const tokens = scanned(rows, languageOfFile(path))
  return (
    <table className="lines">
      <tbody>
        {rows.map((row, i) => (
          <tr key={i} className={kindOf(row)}>
            <td className="number">{row.mark === "+" ? "" : row.oldLine}</td>
            <Number row={row} shown={row.mark === "-" ? "" : String(row.newLine)} onComment={onComment} />
            <td className="mark">{row.mark}</td>
            <td className="text">{textOf(row, tokens.get(row))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
})

export const SplitLines: NamedExoticComponent<LinesProps<SplitRow>> = memo(function SplitLines(props) {
  const { path, rows, onComment } = props
  const language = languageOfFile(path)
  const left = scanned(
    rows.flatMap((row) => row.left ?? []),
    language,
  )
  const right = scanned(
    rows.flatMap((row) => row.right ?? []),
    language,
  )
  return (
    <table className="lines split">
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            <Half row={row.left} isLeft tokens={left} onComment={onComment} />
            <Half row={row.right} isLeft={false} tokens={right} onComment={onComment} />
          </tr>
        ))}
      </tbody>
    </table>
  )
})

interface HalfProps {
  readonly row: LineRow | undefined
  readonly isLeft: boolean
  readonly tokens: ReadonlyMap<LineRow, readonly Token[]>
  readonly onComment: OnComment | undefined
}

function Half({ row, isLeft, tokens, onComment }: HalfProps): ReactNode {
  if (!row)
    return (
      <>
        <td className="number none" />
        <td className="text none" />
      </>
    )
  const kind = kindOf(row)
  const shown = String(isLeft ? row.oldLine : row.newLine)
  return (
    <>
      {isLeft && row.mark === " " ? (
        <td className="number">{shown}</td>
      ) : (
        <Number row={row} shown={shown} kind={kind} onComment={onComment} />
      )}
      <td className={`text ${kind}`}>{textOf(row, tokens.get(row))}</td>
    </>
  )
}

const kindOf = ({ mark }: LineRow): string => (mark === "+" ? "added" : mark === "-" ? "removed" : "")

interface NumberProps {
  readonly row: LineRow
  readonly shown: string
  readonly kind?: string
  readonly onComment: OnComment | undefined
}

function Number({ row, shown, kind = "", onComment }: NumberProps): ReactNode {
  if (!onComment) return <td className={`number ${kind}`}>{shown}</td>
  const place = placeOf(row)
  return (
    <td className={`number ${kind}`}>
      <button
        type="button"
        className="comment-on"
        tabIndex={-1}
        data-line={`${place.side} ${place.line}`}
        aria-label={`Comment on ${place.side === "old" ? "old line" : "line"} ${place.line}`}
        onClick={() => onComment(place)}
      >
        {shown}
      </button>
    </td>
  )
}

const textOf = (row: LineRow, tokens: readonly Token[] | undefined): ReactNode =>
  marked(tokens ?? [{ text: row.text, role: "plain" }], row.mark === " " ? undefined : changeIn(row.text, row.other))

/** Each side is a text of its own. */
function scanned(rows: readonly LineRow[], language: Language | undefined): ReadonlyMap<LineRow, readonly Token[]> {
  const tokens = new Map<LineRow, readonly Token[]>()
  const scan = language && openScan(language)
  if (!scan) return tokens
  let [before, after]: [OpenToken, OpenToken] = [undefined, undefined]
  for (const row of rows) {
    const read = scan(row.text, row.mark === "-" ? before : after)
    tokens.set(row, read.tokens)
    if (row.mark !== "+") before = read.open
    if (row.mark !== "-") after = read.open
  }
  return tokens
}
