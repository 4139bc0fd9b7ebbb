/** Allow or deny a call: as it is, or with another input; once, or from now on. */

import { type ReactNode, useId, useState } from "react"
import type { GrantDestination } from "#agent/words/permission.ts"
import type { Question } from "#agent/words/question.ts"
import type { JsonObject } from "#lib/json.ts"
import { bared } from "#lib/printable.ts"
import { places, ruleWords } from "#faces/view/consent.ts"
import type { FormProps } from "./form-props.ts"
import type { Remember } from "./contract.ts"

const scopes: readonly (readonly [Remember, GrantDestination])[] = [
  ["session", "session"],
  ["project", "project settings"],
  ["user", "user settings"],
]

/** What can be kept so that the same is not asked again; nothing where no rule may be added. */
function keepable(question: Question | undefined): readonly (readonly [Remember, string])[] {
  if (question?.ask.kind !== "permission" || question.ask.suggestedRule === undefined) return []
  const { suggestedRule, destinations = [] } = question.ask
  return scopes
    .filter(([, destination]) => destinations.includes(destination))
    .map(([value, destination]) => [
      value,
      `And don't ask again for ${bared(ruleWords(suggestedRule))} in ${places[destination]}`,
    ])
}

export function ToolForm({ approval, question, isDisabled, onDecide }: FormProps): ReactNode {
  const kept = keepable(question)
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
        {kept.length > 0 && (
          <>
            <label htmlFor={scopeId}>If you allow it</label>
            <select id={scopeId} value={remember} onChange={({ target }) => setRemember(chosen(kept, target.value))}>
              <option value="">Only this time</option>
              {kept.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </>
        )}
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

const chosen = (kept: readonly (readonly [Remember, string])[], value: string): "" | Remember =>
  kept.find(([each]) => each === value)?.[0] ?? ""
