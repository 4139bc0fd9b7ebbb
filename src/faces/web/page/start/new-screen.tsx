/** A new session: what to do, where, and within which limits. */

import { type ReactNode, useId, useRef, useState } from "react"
import type { PermissionMode } from "#agent/words/permission.ts"
import { gateWords } from "#agent/words/gate-words.ts"
import { type GateName, gateNames } from "#agent/words/gates.ts"
import { forConsent } from "#lib/printable.ts"
import type { SessionTemplate } from "#fleet/store/lists.ts"
import { at, failureText, post, remove } from "#faces/web/page/api.ts"
import { Attaching } from "./attaching.tsx"
import type { ShownSession, SignedIn } from "#faces/web/page/contract.ts"
import type { Choices } from "#faces/web/page/contract-lists.ts"
import { draftOf, type SessionDraft, emptyDraft, problemIn, requestOf, templateOf } from "./new-session.ts"
import { usePolled } from "#faces/web/page/polled.ts"
import { toSession } from "#faces/web/page/route.ts"
import { modeLabel, offeredModes, placeName } from "#faces/web/page/words.ts"
import { Problem } from "#faces/web/page/loading.tsx"

export function NewScreen({ me }: { readonly me: SignedIn | undefined }): ReactNode {
  const choices = usePolled<Choices>("/api/choices", { everyMs: 60_000 })
  const [draft, setDraft] = useState<SessionDraft>(emptyDraft)
  // The mode of last time, until somebody chooses one here.
  const isMoved = useRef(false)
  const lastMode = choices.value?.mode
  if (lastMode !== undefined && !isMoved.current) {
    isMoved.current = true
    if (draft.mode === emptyDraft.mode && offeredModes.includes(lastMode)) setDraft({ ...draft, mode: lastMode })
  }
  const [problem, setProblem] = useState("")
  const [isSending, setSending] = useState(false)
  const repositories = choices.value?.repositories ?? []
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
    <div className="screen start">
      <h1>New session</h1>
      {me?.role === "viewer" && <p className="note">Your role is viewer: only operators start sessions.</p>}
      <form
        className="card form"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || (!event.ctrlKey && !event.metaKey)) return
          event.preventDefault()
          event.currentTarget.requestSubmit()
        }}
      >
        <div className="start-main">
          <Templates
            templates={choices.value?.templates ?? []}
            draft={draft}
            onChange={change}
            onSaved={choices.refresh}
          />
          <TextRow
            label="Task"
            hint="What should be done, and how you will know that it is. Paste or drop pictures and text files here."
          >
            {(id, hintId) => (
              <Attaching attached={draft.attached} onChange={(attached) => change({ attached })}>
                <textarea
                  id={id}
                  aria-describedby={hintId}
                  // A phone would cover the form with its keyboard.
                  autoFocus={matchMedia("(min-width: 721px)").matches}
                  rows={5}
                  value={draft.prompt}
                  onChange={({ target }) => change({ prompt: target.value })}
                />
              </Attaching>
            )}
          </TextRow>
        </div>
        <div className="start-side">
          <NameRow
            label="Repository"
            hint="A folder on the worker, or the URL of a git repository."
            placeholder="/srv/app or https://git.example.com/app.git"
            value={draft.place}
            known={repositories.map(({ place }) => place)}
            onChange={(place) => change({ place })}
          />
          <Recent
            places={repositories.map(({ place }) => place)}
            chosen={draft.place}
            onChoose={(place) => change({ place, ref: "" })}
          />
          <div className="columns">
            <NameRow
              label="Branch or tag"
              hint="Only for a URL. Empty: the default branch."
              value={draft.ref}
              known={repositories.find(({ place }) => place === draft.place.trim())?.refs ?? []}
              onChange={(ref) => change({ ref })}
            />
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
            <NameRow
              label="Model"
              hint="Empty: the server's default."
              value={draft.model}
              known={choices.value?.models ?? []}
              onChange={(model) => change({ model })}
            />
          </div>
          <Gates chosen={draft.gates} onChange={(chosen) => change({ gates: chosen })} />
        </div>
        <Problem text={problem} />
        <div className="buttons">
          <button type="submit" className="primary" disabled={isSending || me?.role === "viewer"} title="Ctrl+Enter">
            Start session
          </button>
        </div>
      </form>
    </div>
  )
}

const mostRecent = 5

interface RecentProps {
  readonly places: readonly string[]
  readonly chosen: string
  readonly onChoose: (place: string) => void
}

function Recent({ places, chosen, onChoose }: RecentProps): ReactNode {
  if (places.length === 0) return null
  return (
    <div className="chips" role="group" aria-label="Recent repositories">
      {places.slice(0, mostRecent).map((place) => (
        <button
          key={place}
          type="button"
          className="chip"
          aria-pressed={place === chosen}
          title={forConsent(place)}
          onClick={() => onChoose(place)}
        >
          {forConsent(placeName(place.startsWith("/") ? { path: place } : { git: { url: place } }))}
        </button>
      ))}
    </div>
  )
}

interface TemplatesProps {
  readonly templates: readonly SessionTemplate[]
  readonly draft: SessionDraft
  readonly onChange: (more: Partial<SessionDraft>) => void
  readonly onSaved: () => void
}

function Templates({ templates, draft, onChange, onSaved }: TemplatesProps): ReactNode {
  const [name, setName] = useState<string>()
  const [chosen, setChosen] = useState("")
  const [problem, setProblem] = useState("")
  const save = async (): Promise<void> => {
    const saved = await post("/api/templates", templateOf((name ?? "").trim(), draft))
    setProblem(saved.ok ? "" : failureText(saved.failure))
    if (!saved.ok) return
    setName(undefined)
    onSaved()
  }
  return (
    <div className="heading">
      {templates.length > 0 && (
        <label>
          <span className="hidden">Template</span>
          <select
            value={chosen}
            onChange={({ target }) => {
              const template = templates.find((each) => each.name === target.value)
              setChosen(target.value)
              if (template) onChange(draftOf(template))
            }}
          >
            <option value="">Template</option>
            {templates.map((each) => (
              <option key={each.name} value={each.name}>
                {forConsent(each.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      {chosen !== "" && (
        <button
          type="button"
          className="quiet"
          onClick={() => void remove(`/api/templates/${at(chosen)}`).then(() => (setChosen(""), onSaved()))}
        >
          Delete template
        </button>
      )}
      {name === undefined ? (
        <button type="button" className="quiet" disabled={draft.prompt.trim() === ""} onClick={() => setName("")}>
          Save as template
        </button>
      ) : (
        <>
          <input
            aria-label="Name of the template"
            placeholder="Name, such as fix-tests"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <button type="button" disabled={name.trim() === ""} onClick={() => void save()}>
            Save
          </button>
          <button type="button" className="quiet" onClick={() => setName(undefined)}>
            Cancel
          </button>
        </>
      )}
      <Problem text={problem} />
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

interface NameRowProps {
  readonly label: string
  readonly hint: string
  readonly placeholder?: string
  readonly value: string
  /** Offered while one types; others can be typed too. */
  readonly known: readonly string[]
  readonly onChange: (value: string) => void
}

const NameRow = ({ label, hint, placeholder, value, known, onChange }: NameRowProps): ReactNode => (
  <TextRow label={label} hint={hint}>
    {(id, hintId) => (
      <>
        <input
          id={id}
          list={`${id}-known`}
          aria-describedby={hintId}
          className="mono"
          value={value}
          spellCheck={false}
          placeholder={placeholder}
          onChange={({ target }) => onChange(target.value)}
        />
        <datalist id={`${id}-known`}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </>
    )}
  </TextRow>
)

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
