/** A new session: what to do, where, and within which limits. */

import { type ReactNode, useId, useState } from "react"
import type { PermissionMode } from "#agent/words/permission.ts"
import { gateWords } from "#agent/words/gate-words.ts"
import { type GateName, gateNames } from "#agent/words/gates.ts"
import { failureText, post } from "./api.ts"
import type { ShownSession, SignedIn } from "./contract.ts"
import { type SessionDraft, emptyDraft, problemIn, requestOf } from "./new-session.ts"
import { toSession } from "./route.ts"
import { modeLabel, offeredModes } from "./words.ts"

export function NewScreen({ me }: { readonly me: SignedIn | undefined }): ReactNode {
  const [draft, setDraft] = useState<SessionDraft>(emptyDraft)
  const [problem, setProblem] = useState("")
  const [isSending, setSending] = useState(false)
  const change = (more: Partial<SessionDraft>): void => setDraft((before) => ({ ...before, ...more }))
  const start = async (): Promise<void> => {
    const wrong = problemIn(draft)
    if (wrong !== undefined) return setProblem(wrong)
    setSending(true)
    setProblem("")
    const created = await post<ShownSession>("/api/sessions", requestOf(draft))
    setSending(false)
    if (created.ok) location.hash = toSession(created.value.id)
    else setProblem(failureText(created.failure))
  }
  return (
    <div className="screen narrow">
      <h1>New session</h1>
      {me?.role === "viewer" && <p className="note">Your role is viewer: only operators start sessions.</p>}
      <form
        className="card form"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <TextRow label="Task" hint="What should be done, and how you will know that it is.">
          {(id, hintId) => (
            <textarea
              id={id}
              aria-describedby={hintId}
              rows={5}
              value={draft.prompt}
              onChange={({ target }) => change({ prompt: target.value })}
            />
          )}
        </TextRow>
        <TextRow label="Repository" hint="A folder on the worker, or the URL of a git repository.">
          {(id, hintId) => (
            <input
              id={id}
              aria-describedby={hintId}
              className="mono"
              value={draft.place}
              spellCheck={false}
              placeholder="/srv/app or https://git.example.com/app.git"
              onChange={({ target }) => change({ place: target.value })}
            />
          )}
        </TextRow>
        <div className="columns">
          <TextRow label="Branch or tag" hint="Only for a URL. Empty: the default branch.">
            {(id, hintId) => (
              <input
                id={id}
                aria-describedby={hintId}
                className="mono"
                value={draft.ref}
                spellCheck={false}
                onChange={({ target }) => change({ ref: target.value })}
              />
            )}
          </TextRow>
          <TextRow label="Budget in US dollars" hint="The session stops before it spends more. Empty: no limit.">
            {(id, hintId) => (
              <input
                id={id}
                aria-describedby={hintId}
                inputMode="decimal"
                value={draft.budget}
                onChange={({ target }) => change({ budget: target.value })}
              />
            )}
          </TextRow>
        </div>
        <div className="columns">
          <TextRow label="Mode" hint="">
            {(id) => (
              <select
                id={id}
                value={draft.mode}
                onChange={({ target }) => change({ mode: target.value as PermissionMode })}
              >
                {offeredModes.map((mode) => (
                  <option key={mode} value={mode}>
                    {modeLabel(mode)}
                  </option>
                ))}
              </select>
            )}
          </TextRow>
          <TextRow label="Model" hint="Empty: the server's default.">
            {(id, hintId) => (
              <input
                id={id}
                aria-describedby={hintId}
                className="mono"
                value={draft.model}
                spellCheck={false}
                onChange={({ target }) => change({ model: target.value })}
              />
            )}
          </TextRow>
        </div>
        <Gates chosen={draft.gates} onChange={(chosen) => change({ gates: chosen })} />
        {problem !== "" && (
          <p className="bad" role="alert">
            {problem}
          </p>
        )}
        <div className="buttons">
          <button type="submit" className="primary" disabled={isSending || me?.role === "viewer"}>
            Start session
          </button>
        </div>
      </form>
    </div>
  )
}

function Gates({
  chosen,
  onChange,
}: {
  readonly chosen: readonly GateName[]
  readonly onChange: (chosen: readonly GateName[]) => void
}): ReactNode {
  return (
    <fieldset>
      <legend>Gates</legend>
      {gateNames.map((name) => (
        <label key={name} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
            }
          />
          <span>{gateWords[name]}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface TextRowProps {
  readonly label: string
  readonly hint: string
  readonly children: (id: string, hintId: string | undefined) => ReactNode
}

function TextRow({ label, hint, children }: TextRowProps): ReactNode {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="row">
      <label htmlFor={id}>{label}</label>
      {children(id, hint === "" ? undefined : hintId)}
      {hint !== "" && (
        <p className="dim" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}
