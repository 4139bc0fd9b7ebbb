/** The exact action, once and whole, with nothing hidden in it. */

import type { ReactNode } from "react"
import type { FileDiff } from "#agent/words/display.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import type { ApprovalDetails } from "#session/port/approval-details.ts"
import { changeHeading } from "#faces/view/changed-tool.ts"
import { commandNotes, partHead, saysWords } from "#faces/view/consent.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import { CopyButton } from "./copy-button.tsx"
import { Diff } from "./diff.tsx"
import { consentLines } from "./legible.ts"
import { sentence } from "./words.ts"

export function Action({
  approval: { action },
  details,
}: {
  readonly approval: ShownApproval
  readonly details: ApprovalDetails
}): ReactNode {
  return (
    <>
      <Thing action={action} details={details} />
      {details.change && (
        <>
          <p className="changed">{changeHeading(details.change)}</p>
          <Diff file={details.change} isWhole />
        </>
      )}
    </>
  )
}

function Thing({ action, details }: Pick<ShownApproval, "action"> & { readonly details: ApprovalDetails }): ReactNode {
  const { command, ...others } = action.input
  const { display, cwd, parts: all = [] } = details
  if (display?.kind === "diff" || display?.kind === "diffs")
    return (display.kind === "diff" ? [display] : display.files).map((file, i) => <Diff key={i} file={file} isWhole />)
  const edit = editIn(action)
  if (edit) return <Edit edit={edit} />
  const parts = all.filter(({ needsConsent }) => needsConsent)
  const { says, notes, rest } =
    cwd !== undefined && typeof command === "string"
      ? commandNotes(action.input)
      : { says: undefined, notes: [], rest: typeof command === "string" ? others : action.input }
  return (
    <div className="action">
      {typeof command === "string" && (
        <div className="code">
          <CopyButton text={command} />
          <pre className="command" tabIndex={0} aria-label="Command">
            {consentLines(command)}
          </pre>
        </div>
      )}
      {says !== undefined && <p className="says">{saysWords(says)}</p>}
      {notes.length > 0 && <p className="dim">{sentence(notes)}</p>}
      {Object.entries(rest).map(([name, value]) => (
        <Field key={name} name={name} value={value} />
      ))}
      {cwd !== undefined && <p className="dim">in {forConsent(cwd)}</p>}
      {parts.length > 0 && all.length > 1 && (
        <ul className="parts" aria-label="Parts that need approval">
          {parts.map(({ text, why, leaves }, i) => (
            <li key={i}>
              <code>{partHead(text)}</code>{" "}
              {leaves ? (
                <strong className="leaves">{forConsent(why)}</strong>
              ) : (
                <span className="dim">{forConsent(why)}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface EditShown {
  readonly file: FileDiff
  readonly rest: JsonObject
}

/** Where the file itself is not at hand, an edit is what goes and what comes, without numbers of lines. */
function editIn({ tool, input }: ShownApproval["action"]): EditShown | undefined {
  const { file_path: path, old_string: gone, new_string: come, ...rest } = input
  if (tool !== "Edit" || typeof path !== "string" || typeof gone !== "string" || typeof come !== "string")
    return undefined
  const marked = (mark: "-" | "+", text: string): string[] =>
    text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`)
  const [before, after] = [marked("-", gone), marked("+", come)]
  const [oldLines, newLines] = [before.length, after.length]
  const hunk = { oldStart: 1, oldLines, newStart: 1, newLines, lines: [...before, ...after] }
  return { file: { path, created: false, hunks: [hunk] }, rest }
}

const Edit = ({ edit: { file, rest } }: { readonly edit: EditShown }): ReactNode => (
  <div className="action">
    <Diff file={file} isWhole numbers="none" />
    {Object.entries(rest).map(([name, value]) => (
      <Field key={name} name={name} value={value} />
    ))}
  </div>
)

function Field({ name, value }: { readonly name: string; readonly value: JsonValue }): ReactNode {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
  const isShort = !text.includes("\n") && text.length < 100
  return (
    <div className="field">
      <span className="name">{forConsent(name)}</span>
      {isShort ? <code>{forConsent(text)}</code> : <pre tabIndex={0}>{consentLines(text)}</pre>}
    </div>
  )
}
