/** A plan: what it says, which files, commands and tests it names; approved as it is, edited, or sent back. */

import { type ReactNode, useId, useState } from "react"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { JsonObject } from "#lib/json.ts"
import type { FleetPlan } from "#fleet/records.ts"
import type { FormProps } from "./approval-card.tsx"
import { bared } from "#lib/printable.ts"
import { Markdown } from "./markdown.tsx"
import { modeLabel } from "./words.ts"

/** To go on in after planning. */
const modes: readonly PermissionMode[] = ["acceptEdits", "default", "auto", "dontAsk"]

export function PlanForm({ approval, isDisabled, onDecide }: FormProps): ReactNode {
  const plan = planIn(approval.action.input)
  const [mode, setMode] = useState<PermissionMode>("acceptEdits")
  const [edited, setEdited] = useState<string | undefined>()
  const [feedback, setFeedback] = useState("")
  const [modeId, editId, feedbackId] = [useId(), useId(), useId()]
  const isChanged = edited !== undefined && edited !== plan.markdown
  return (
    <div className="form plan">
      {edited === undefined ? (
        <Markdown text={plan.markdown} />
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
      <PlanLists plan={plan} />
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
        <button
          type="button"
          className="quiet"
          onClick={() => setEdited(edited === undefined ? plan.markdown : undefined)}
        >
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

/** A plan's approval has the plan as its input. */
function planIn(input: JsonObject): FleetPlan {
  const list = (name: string): readonly string[] => {
    const value = input[name]
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
  }
  const markdown = input["markdown"] ?? input["plan"]
  return {
    markdown: typeof markdown === "string" ? markdown : "",
    digest: "",
    filesToCreate: list("filesToCreate"),
    filesToModify: list("filesToModify"),
    commands: list("commands"),
    tests: list("tests"),
  }
}
