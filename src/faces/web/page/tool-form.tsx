/** Allow or deny a call: as it is, or with another input; once, or from now on. */

import { type ReactNode, useId, useState } from "react"
import type { JsonObject } from "#lib/json.ts"
import type { FormProps } from "./approval-card.tsx"
import type { Remember } from "./contract.ts"

const scopes: readonly (readonly [value: "" | Remember, label: string])[] = [
  ["", "Only this time"],
  ["session", "And don't ask again in this session"],
  ["project", "And don't ask again in this project"],
  ["user", "And don't ask again in any project"],
]

export function ToolForm({ approval, isDisabled, onDecide }: FormProps): ReactNode {
  const [remember, setRemember] = useState<"" | Remember>("")
  const [message, setMessage] = useState("")
  const [edited, setEdited] = useState<string | undefined>()
  const [scopeId, messageId, editId] = [useId(), useId(), useId()]
  const { command } = approval.action.input
  const input: JsonObject | undefined =
    edited === undefined || edited === command ? undefined : { ...approval.action.input, command: edited }
  const allow = (): void =>
    onDecide({
      to: "approval",
      body: { decision: "allow", ...(remember !== "" && { remember }), ...(input && { input }) },
    })
  const deny = (): void =>
    onDecide({ to: "approval", body: { decision: "deny", ...(message.trim() !== "" && { message: message.trim() }) } })
  return (
    <div className="form">
      {edited !== undefined && (
        <div className="row">
          <label htmlFor={editId}>Command to run instead</label>
          <textarea
            id={editId}
            className="mono"
            rows={Math.min(8, edited.split("\n").length + 1)}
            value={edited}
            spellCheck={false}
            onChange={(event) => setEdited(event.target.value)}
          />
        </div>
      )}
      <details className="row">
        <summary>Options</summary>
        <label htmlFor={scopeId}>If you allow it</label>
        <select id={scopeId} value={remember} onChange={(event) => setRemember(event.target.value as "" | Remember)}>
          {scopes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <label htmlFor={messageId}>If you deny it, tell the model what to do instead</label>
        <textarea id={messageId} rows={2} value={message} onChange={(event) => setMessage(event.target.value)} />
        {typeof command === "string" && edited === undefined && (
          <button type="button" className="quiet" onClick={() => setEdited(command)}>
            Edit the command
          </button>
        )}
      </details>
      <div className="buttons">
        <button type="button" className="primary" data-answer="yes" disabled={isDisabled} onClick={allow}>
          {input ? "Allow the edited command" : "Allow"}
        </button>
        <button type="button" data-answer="no" disabled={isDisabled} onClick={deny}>
          Deny
        </button>
      </div>
    </div>
  )
}
