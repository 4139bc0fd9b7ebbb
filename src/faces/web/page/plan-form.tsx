/** A plan: what it says, which files, commands and tests it names; approved as it is, edited, or sent back. */

import { type ReactNode, useId, useState } from "react"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { JsonObject } from "#lib/json.ts"
import type { FleetPlan } from "#fleet/records.ts"
import type { FormProps } from "./form-props.ts"
import { bared } from "#lib/printable.ts"
import { Markdown } from "./markdown.tsx"
import { modeLabel } from "./words.ts"

/** To continue in after planning, where the session does not say. */
const usualModes: readonly PermissionMode[] = ["acceptEdits", "default", "auto"]

export function PlanForm({ approval, plan, isDisabled, onDecide }: FormProps): ReactNode {
  const { markdown, modes } = planIn(approval.action.input)
  const [mode, setMode] = useState<PermissionMode>(modes[0] ?? "default")
  const [edited, setEdited] = useState<string | undefined>()
  const [feedback, setFeedback] = useState("")
  const [modeId, editId, feedbackId] = [useId(), useId(), useId()]
  const isChanged = edited !== undefined && edited !== markdown
  return (
    <div className="form plan">
      {edited === undefined ? (
        <Markdown text={markdown} />
      ) : (
        <div className="row">
          <label htmlFor={editId}>Plan</label>
          <textarea
            id={editId}
            className="mono"
            rows={Math.min(30, edited.split("\n").length + 2)}
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
          />
        </div>
      )}
      {plan && <PlanLists plan={plan} />}
      <div className="row">
        <label htmlFor={modeId}>After approval</label>
        <select id={modeId} value={mode} onChange={(event) => setMode(event.target.value as PermissionMode)}>
          {modes.map((each) => (
            <option key={each} value={each}>
              {modeLabel(each)}
            </option>
          ))}
        </select>
      </div>
      <div className="row">
        <label htmlFor={feedbackId}>If you reject it, say what to change</label>
        <textarea id={feedbackId} rows={2} value={feedback} onChange={(event) => setFeedback(event.target.value)} />
      </div>
      <div className="buttons">
        <button
          type="button"
          className="primary"
          data-answer="yes"
          disabled={isDisabled}
          onClick={() => onDecide({ to: "plan/approve", body: { mode, ...(isChanged && { plan: edited }) } })}
        >
          {isChanged ? "Approve the edited plan" : "Approve"}
        </button>
        <button
          type="button"
          data-answer="no"
          disabled={isDisabled}
          onClick={() => onDecide({ to: "plan/reject", body: { feedback: feedback.trim() } })}
        >
          Reject
        </button>
        <button type="button" className="quiet" onClick={() => setEdited(edited === undefined ? markdown : undefined)}>
          {edited === undefined ? "Edit" : isChanged ? "Discard edits" : "Stop editing"}
        </button>
      </div>
    </div>
  )
}

const lists: readonly (readonly [name: string, of: (plan: FleetPlan) => readonly string[]])[] = [
  ["Files to create", (plan) => plan.filesToCreate],
  ["Files to modify", (plan) => plan.filesToModify],
  ["Commands", (plan) => plan.commands],
  ["Tests", (plan) => plan.tests],
]

export function PlanLists({ plan }: { readonly plan: FleetPlan }): ReactNode {
  const filled = lists.filter(([, of]) => of(plan).length > 0)
  if (filled.length === 0) return null
  return (
    <dl className="plan-lists">
      {filled.map(([name, of]) => (
        <div key={name}>
          <dt>
            {name} <span className="dim">{of(plan).length}</span>
          </dt>
          {of(plan).map((each, i) => (
            <dd key={i}>
              <code>{bared(each)}</code>
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
}

function planIn({ plan, modes }: JsonObject): PlanInput {
  const offered = permissionModes.filter((mode) => mode !== "plan" && Array.isArray(modes) && modes.includes(mode))
  return {
    markdown: typeof plan === "string" ? plan : "",
    // Accepting edits is the usual way on, where it may be chosen.
    modes: offered.length === 0 ? usualModes : offered.toSorted((a, b) => rankOf(a) - rankOf(b)),
  }
}

const rankOf = (mode: PermissionMode): number => {
  const at = usualModes.indexOf(mode)
  return at === -1 ? usualModes.length : at
}
