/** A plan: what it says, and how much it names; approved as it is, edited, or sent back. */

import { type ReactNode, useId, useState } from "react"
import { scopeOf } from "#agent/words/plan-extract.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { PlanScope } from "#agent/words/question.ts"
import { counted } from "#lib/figures.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { FormProps } from "./form-props.ts"
import { forConsent } from "#lib/printable.ts"
import { Markdown } from "./markdown.tsx"
import { modeLabel, sentence } from "./words.ts"

interface PlanFormProps extends FormProps {
  /** The level of the heading above it. */
  readonly under?: number
}

/** To continue in after planning, where the session does not say. */
const usualModes: readonly PermissionMode[] = ["acceptEdits", "default", "auto"]

export function PlanForm({ approval, isDisabled, onDecide, under = 2 }: PlanFormProps): ReactNode {
  const { markdown, modes, wishes } = planIn(approval.action.input)
  const [mode, setMode] = useState<PermissionMode>(modes[0] ?? "default")
  const [edited, setEdited] = useState<string | undefined>()
  const [isEditing, setEditing] = useState(false)
  const [unchecked, setUnchecked] = useState<readonly string[]>([])
  const [isFresh, setFresh] = useState(false)
  const [feedback, setFeedback] = useState("")
  const [modeId, editId, feedbackId] = [useId(), useId(), useId()]
  const text = edited ?? markdown
  const isChanged = text !== markdown
  const scope = scopeOf(text)
  const change = isChanged ? { plan: text } : {}
  const granted = wishes.flatMap(({ prompt, covers }) =>
    covers === undefined || unchecked.includes(prompt) ? [] : [prompt],
  )
  const approve = (): void =>
    onDecide({
      to: "plan/approve",
      body: {
        mode,
        ...change,
        ...(granted.length > 0 && { wishes: granted }),
        ...(isFresh && { fresh: true }),
        ...(feedback.trim() !== "" && { feedback: feedback.trim() }),
      },
    })
  return (
    <div className="form plan">
      {scope && <PlanCounts scope={scope} />}
      {isEditing ? (
        <div className="row">
          <label htmlFor={editId}>Plan</label>
          <textarea
            id={editId}
            className="mono"
            rows={Math.min(30, text.split("\n").length + 2)}
            value={text}
            onChange={(event) => setEdited(event.target.value)}
          />
        </div>
      ) : (
        <Markdown text={text} under={under} />
      )}
      {wishes.length > 0 && (
        <Wishes
          wishes={wishes}
          unchecked={unchecked}
          onToggle={(prompt) =>
            setUnchecked(
              unchecked.includes(prompt) ? unchecked.filter((each) => each !== prompt) : [...unchecked, prompt],
            )
          }
        />
      )}
      <div className="row">
        <label htmlFor={modeId}>After approval</label>
        <select id={modeId} value={mode} onChange={(event) => setMode(event.target.value as PermissionMode)}>
          {modes.map((each) => (
            <option key={each} value={each}>
              {modeLabel(each)}
            </option>
          ))}
        </select>
        {/* An agent goes on in the context it has. */}
        {approval.details?.agent === undefined && (
          <label className="choice">
            <input type="checkbox" checked={isFresh} onChange={() => setFresh(!isFresh)} />
            Start with a fresh context (only the plan)
          </label>
        )}
      </div>
      <div className="row">
        <label htmlFor={feedbackId}>Add instructions for the model</label>
        <textarea id={feedbackId} rows={2} value={feedback} onChange={(event) => setFeedback(event.target.value)} />
      </div>
      <div className="buttons">
        <button
          type="button"
          className="primary"
          data-answer="yes"
          disabled={isDisabled || text.trim() === ""}
          onClick={approve}
        >
          {isChanged ? "Approve the edited plan" : "Approve"}
        </button>
        <button
          type="button"
          data-answer="no"
          disabled={isDisabled}
          onClick={() => onDecide({ to: "plan/reject", body: { feedback: feedback.trim(), ...change } })}
        >
          Keep planning
        </button>
        <button type="button" className="quiet" onClick={() => setEditing(!isEditing)}>
          {isEditing ? "Preview" : "Edit"}
        </button>
        {isChanged && (
          <button type="button" className="quiet" onClick={() => (setEdited(undefined), setEditing(false))}>
            Discard edits
          </button>
        )}
      </div>
    </div>
  )
}

interface Wish {
  readonly prompt: string
  /** The commands it allows; without them it allows nothing. */
  readonly covers: string | undefined
}

interface WishesProps {
  readonly wishes: readonly Wish[]
  readonly unchecked: readonly string[]
  readonly onToggle: (prompt: string) => void
}

const Wishes = ({ wishes, unchecked, onToggle }: WishesProps): ReactNode => (
  <fieldset>
    <legend>If you approve, don't ask before</legend>
    {wishes.map(({ prompt, covers }) => (
      <label key={prompt} className="choice">
        <input
          type="checkbox"
          disabled={covers === undefined}
          checked={covers !== undefined && !unchecked.includes(prompt)}
          onChange={() => onToggle(prompt)}
        />
        <span>
          {forConsent(prompt)} <span className="dim">{forConsent(covers ?? "not understood; allows nothing")}</span>
        </span>
      </label>
    ))}
  </fieldset>
)

/** The plan itself names them. */
function PlanCounts({ scope }: { readonly scope: PlanScope }): ReactNode {
  const { filesToCreate, filesToModify, commands, tests } = scope
  const counts = [
    ...(filesToCreate.length > 0 ? [`creates ${counted(filesToCreate.length, "file")}`] : []),
    ...(filesToModify.length > 0 ? [`changes ${counted(filesToModify.length, "file")}`] : []),
    ...(commands.length > 0 ? [`runs ${counted(commands.length, "command")}`] : []),
    ...(tests.length > 0 ? [counted(tests.length, "test")] : []),
  ]
  return counts.length === 0 ? null : <p className="dim">{sentence(counts)}</p>
}

const lists: readonly (readonly [name: string, of: (scope: PlanScope) => readonly string[]])[] = [
  ["Files to create", (scope) => scope.filesToCreate],
  ["Files to modify", (scope) => scope.filesToModify],
  ["Commands", (scope) => scope.commands],
  ["Tests", (scope) => scope.tests],
]

export function PlanLists({ scope }: { readonly scope: PlanScope }): ReactNode {
  const filled = lists.filter(([, of]) => of(scope).length > 0)
  if (filled.length === 0) return null
  return (
    <dl className="plan-lists">
      {filled.map(([name, of]) => (
        <div key={name}>
          <dt>
            {name} <span className="dim">{of(scope).length}</span>
          </dt>
          {of(scope).map((each, i) => (
            <dd key={i}>
              <code>{forConsent(each)}</code>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

interface PlanInput {
  readonly markdown: string
  readonly modes: readonly PermissionMode[]
  readonly wishes: readonly Wish[]
}

function planIn({ plan, modes, wishes }: JsonObject): PlanInput {
  const offered = permissionModes.filter((mode) => mode !== "plan" && Array.isArray(modes) && modes.includes(mode))
  return {
    markdown: typeof plan === "string" ? plan : "",
    // Accepting edits is the usual way on, where it may be chosen.
    modes: offered.length === 0 ? usualModes : offered.toSorted((a, b) => rankOf(a) - rankOf(b)),
    wishes: (Array.isArray(wishes) ? wishes : [])
      .filter(isObject)
      .flatMap(({ prompt, covers }) =>
        typeof prompt === "string" ? [{ prompt, covers: typeof covers === "string" ? covers : undefined }] : [],
      ),
  }
}

const rankOf = (mode: PermissionMode): number => {
  const at = usualModes.indexOf(mode)
  return at === -1 ? usualModes.length : at
}
