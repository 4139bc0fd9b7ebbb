/** The way back to before a prompt: first what would change, then the change. */

import { type ReactNode, useId, useState } from "react"
import { isObject, type JsonObject } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import { firstLine } from "#lib/rows.ts"
import { at, failureText, post } from "./api.ts"
import type { PromptPoint } from "./facts.ts"

type What = "both" | "files" | "conversation"

const whats: readonly (readonly [What, string])[] = [
  ["both", "Files and conversation"],
  ["files", "Only files"],
  ["conversation", "Only the conversation"],
]

interface RewindFormProps {
  readonly sessionId: string
  readonly prompts: readonly PromptPoint[]
  readonly onChange: () => void
}

export function RewindForm({ sessionId, prompts, onChange }: RewindFormProps): ReactNode {
  const [to, setTo] = useState("")
  const [what, setWhat] = useState<What>("both")
  const [preview, setPreview] = useState<JsonObject | undefined>()
  const [said, setSaid] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [toId, whatId] = [useId(), useId()]
  const ask = async (dryRun: boolean): Promise<void> => {
    setBusy(true)
    const body = { to, files: what !== "conversation", conversation: what !== "files", dryRun }
    const answered = await post<JsonObject>(`/api/sessions/${at(sessionId)}/rewind`, body)
    setBusy(false)
    if (!answered.ok) return setSaid(failureText(answered.failure))
    setPreview(dryRun ? answered.value : undefined)
    setSaid(dryRun ? "" : "Rewound.")
    if (!dryRun) onChange()
  }
  const change = (): void => {
    setPreview(undefined)
    setSaid("")
  }
  return (
    <div className="form rewind">
      <label htmlFor={toId}>Rewind to before</label>
      <select
        id={toId}
        value={to}
        onChange={({ target }) => {
          change()
          setTo(target.value)
        }}
      >
        <option value="">Choose a prompt</option>
        {prompts.toReversed().map(({ promptId, text }) => (
          <option key={promptId} value={promptId}>
            {forConsent(firstLine(text)).slice(0, 80)}
          </option>
        ))}
      </select>
      <label htmlFor={whatId}>What</label>
      <select
        id={whatId}
        value={what}
        onChange={({ target }) => {
          change()
          setWhat(whats.find(([value]) => value === target.value)?.[0] ?? "both")
        }}
      >
        {whats.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {preview && <Preview preview={preview} />}
      <div className="buttons">
        {preview ? (
          <button type="button" className="danger" disabled={isBusy} onClick={() => void ask(false)}>
            Rewind
          </button>
        ) : (
          <button type="button" disabled={to === "" || isBusy} onClick={() => void ask(true)}>
            Preview
          </button>
        )}
      </div>
      <p role="status" className={said === "" ? "hidden" : ""}>
        {said}
      </p>
    </div>
  )
}

/** Files with what happens to each, and what stays because others changed it. */
function Preview({ preview }: { readonly preview: JsonObject }): ReactNode {
  const files = Array.isArray(preview["files"]) ? preview["files"].filter(isObject) : []
  const names = (key: string): readonly string[] => {
    const value = preview[key]
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
  }
  const conflicts = names("conflicts")
  return (
    <div className="preview">
      {files.length === 0 && <p>No files would change.</p>}
      <ul>
        {files.map(({ path, action, change, added, removed }, i) => (
          <li key={i}>
            <code>{forConsent(String(path))}</code>{" "}
            <span className="dim">
              {forConsent(
                [action ?? change ?? "", added ? `+${String(added)}` : "", removed ? `-${String(removed)}` : ""]
                  .map(String)
                  .join(" "),
              )}
            </span>
          </li>
        ))}
      </ul>
      {conflicts.length > 0 && <p>Kept, because others changed them since: {conflicts.map(forConsent).join(", ")}</p>}
    </div>
  )
}
