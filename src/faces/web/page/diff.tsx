/** A difference: line numbers, what went, what came, and which words of a line changed. */

import { type ReactNode, useState } from "react"
import type { FileDiff } from "#agent/words/display.ts"
import type { Hunk } from "#lib/diff.ts"
import { wholeNumber } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { type ChangedSpan, changeIn, pairs } from "#faces/view/diff-words.ts"
import { languageOfFile } from "#faces/view/syntax/languages.ts"
import { type OpenToken, openScan, type Scan, type Token } from "#faces/view/syntax/scan.ts"
import { drawnTokens } from "./code.tsx"

/** A longer one is shown when it is asked for. */
const mostLines = 60

export interface DiffProps {
  readonly file: FileDiff
  readonly isWhole?: boolean
  /** `none`: it is not known where in the file it is. */
  readonly numbers?: "none"
}

export function Diff({ file, isWhole, numbers }: DiffProps): ReactNode {
  const [isOpen, setOpen] = useState(isWhole ?? false)
  const { path, created, hunks, unshown = 0 } = file
  const count = hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  const language = languageOfFile(path)
  let room = isOpen ? count : mostLines
  return (
    <figure className="diff">
      <figcaption>
        <span className="path">{forConsent(path)}</span>
        <span className="counts">
          {created && <span className="dim">new file </span>}
          <Counts hunks={hunks} more={created ? unshown : 0} />
        </span>
      </figcaption>
      <div className="wide" tabIndex={0} role="group" aria-label={`Changes to ${forConsent(path)}`}>
        <table>
          <tbody>
            {hunks.map((hunk, i) => {
              const lines = hunk.lines.slice(0, Math.max(0, room))
              room -= lines.length
              return lines.length === 0 ? null : (
                <HunkRows
                  key={i}
                  hunk={{ ...hunk, lines }}
                  isFirst={i === 0}
                  isNumbered={numbers !== "none"}
                  scan={language && openScan(language)}
                />
              )
            })}
          </tbody>
        </table>
      </div>
      {unshown > 0 && (
        <p className="changed" role="note">
          {unshown === 1 ? "1 line is" : `${unshown} lines are`} not shown here.
        </p>
      )}
      {count > mostLines && !isWhole && (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${wholeNumber(count)} lines`}
        </button>
      )}
    </figure>
  )
}

function Counts({ hunks, more }: Pick<FileDiff, "hunks"> & { readonly more: number }): ReactNode {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length
  return (
    <>
      <span className="plus">+{count("+") + more}</span> <span className="minus">-{count("-")}</span>
    </>
  )
}

interface HunkProps {
  readonly hunk: Hunk
  readonly isFirst: boolean
  readonly isNumbered: boolean
  readonly scan: Scan | undefined
}

function HunkRows({ hunk: { oldStart, newStart, lines }, isFirst, isNumbered, scan }: HunkProps): ReactNode {
  const partners = pairs(lines)
  const open: { old: OpenToken; new: OpenToken } = { old: undefined, new: undefined }
  let [oldLine, newLine] = [oldStart, newStart]
  const rows = lines.map((line, i) => {
    const mark = line[0] ?? " "
    const number = mark === "-" ? oldLine : newLine
    if (mark !== "+") oldLine++
    if (mark !== "-") newLine++
    const text = forConsent(line.slice(1))
    const side = mark === "-" ? "old" : "new"
    const scanned = scan?.(text, open[side])
    open[side] = scanned?.open
    if (mark === " ") open.old = scanned?.open
    const partner = partners.get(i)
    const other = partner === undefined ? undefined : forConsent(lines[partner]?.slice(1) ?? "")
    return (
      <tr key={i} className={mark === "+" ? "added" : mark === "-" ? "removed" : ""}>
        <td className="number">{isNumbered ? number : ""}</td>
        <td className="mark">{mark}</td>
        <td className="text">
          {marked(scanned?.tokens ?? [{ text, role: "plain" }], mark === " " ? undefined : changeIn(text, other))}
        </td>
      </tr>
    )
  })
  return (
    <>
      {!isFirst && (
        <tr className="gap">
          <td className="number">⋮</td>
          <td colSpan={2} />
        </tr>
      )}
      {rows}
    </>
  )
}

/** The changed part is set off; tokens are cut where it begins and ends. */
export function marked(tokens: readonly Token[], change: ChangedSpan | undefined): ReactNode {
  if (!change) return drawnTokens(tokens)
  const before: Token[] = []
  const within: Token[] = []
  const after: Token[] = []
  let at = 0
  for (const { text, role } of tokens) {
    const cut = (place: number): number => Math.max(0, Math.min(text.length, place - at))
    const [from, to] = [cut(change.from), cut(change.to)]
    before.push({ text: text.slice(0, from), role })
    within.push({ text: text.slice(from, to), role })
    after.push({ text: text.slice(to), role })
    at += text.length
  }
  return (
    <>
      {drawnTokens(before)}
      <mark>{drawnTokens(within)}</mark>
      {drawnTokens(after)}
    </>
  )
}
