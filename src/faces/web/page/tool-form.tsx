/** Allow or deny a call: as it is, or with another input; once, or from now on. Or keep what it has created, or remove it. */

import { type ReactNode, useId, useState } from "react"
import type { GrantDestination } from "#agent/words/permission.ts"
import type { ApprovalDetails } from "#session/port/approval-details.ts"
import type { JsonObject } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import { places, ruleWords } from "#faces/view/consent.ts"
import type { FormProps } from "./form-props.ts"
import type { Remember } from "./contract.ts"
import { RuleCoverage } from "./rules/rule-coverage.tsx"
import { RuleEditor, type RuleEdits, writtenFor } from "./rules/rule-editor.tsx"

const scopes: readonly (readonly [Remember, GrantDestination])[] = [
  ["session", "session"],
  ["project", "project settings"],
  ["user", "user settings"],
]

/** What a yes may mean: only this time, a mode to switch to, or a place where rules are saved. */
type Lasting = "" | "mode" | Remember

function lastingIn(
  { rules = [], destinations = [], mode }: ApprovalDetails,
  isWritten: boolean,
): readonly (readonly [Lasting, string])[] {
  const [only, ...more] = rules
  const offered = only !== undefined && more.length === 0 ? forConsent(ruleWords(only)) : "the checked parts"
  const what = isWritten ? "what the rule below covers" : offered
  const kept = scopes.filter(([, destination]) => rules.length > 0 && destinations.includes(destination))
  return [
    ["", "Only this time"],
    ...(mode === undefined ? [] : [["mode", "And accept all edits this session"] as const]),
    ...kept.map(
      ([value, destination]) => [value, `And don't ask again for ${what} in ${places[destination]}`] as const,
    ),
  ]
}

export function ToolForm({ approval, details, isDisabled, onDecide }: FormProps): ReactNode {
  const [lasting, setLasting] = useState<Lasting>("")
  const [unchecked, setUnchecked] = useState<readonly string[]>([])
  const [edits, setEdits] = useState<RuleEdits>({})
  const [message, setMessage] = useState("")
  const [edited, setEdited] = useState<string | undefined>()
  const [scopeId, messageId, editId] = [useId(), useId(), useId()]
  const { command } = approval.action.input
  const { rules = [], mode, review: isReview = false } = details
  const saved = rules.filter((rule) => !unchecked.includes(rule))
  const written = saved.flatMap((rule) => writtenFor(edits, rule) ?? [])
  const asOffered = saved.filter((rule) => writtenFor(edits, rule) === undefined)
  const offered = lastingIn(details, written.length > 0)
  const isRemembered = lasting !== "" && lasting !== "mode"
  const input: JsonObject | undefined =
    edited === undefined || edited === command ? undefined : { ...approval.action.input, command: edited }
  const said = message.trim() === "" ? {} : { message: message.trim() }
  const allow = (): void =>
    onDecide({
      to: "approval",
      body: {
        decision: "allow",
        ...(isRemembered && { remember: lasting }),
        ...(isRemembered && asOffered.length < rules.length && { rules: asOffered }),
        ...(isRemembered && written.length > 0 && { written }),
        ...(lasting === "mode" && mode !== undefined && { mode }),
        ...(input && { input }),
        ...said,
      },
    })
  const deny = (more: JsonObject = {}): void =>
    onDecide({
      to: "approval",
      body: { decision: "deny", ...said, ...more },
    })
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
      <details className="row" open={isReview}>
        <summary>Options</summary>
        {offered.length > 1 && (
          <>
            <label htmlFor={scopeId}>If you allow it</label>
            <select id={scopeId} value={lasting} onChange={({ target }) => setLasting(chosen(offered, target.value))}>
              {offered.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </>
        )}
        {isRemembered && rules.length > 1 && (
          <PartRules
            rules={rules}
            unchecked={unchecked}
            onToggle={(rule) =>
              setUnchecked(unchecked.includes(rule) ? unchecked.filter((each) => each !== rule) : [...unchecked, rule])
            }
          />
        )}
        {isRemembered && saved.length > 0 && (
          <>
            <RuleEditor
              rules={saved}
              edits={edits}
              onEdit={(rule, text) => setEdits((before) => ({ ...before, [rule]: text }))}
            />
            <RuleCoverage
              approval={approval}
              remember={lasting}
              rules={rules.flatMap((rule, nth) => (asOffered.includes(rule) ? [nth] : []))}
              written={written}
            />
          </>
        )}
        <label htmlFor={messageId}>
          {isReview ? "Tell the model what to change" : "Add instructions for the model"}
        </label>
        <textarea id={messageId} rows={2} value={message} onChange={(event) => setMessage(event.target.value)} />
        {typeof command === "string" && edited === undefined && !isReview && (
          <button type="button" className="quiet" onClick={() => setEdited(command)}>
            Edit the command
          </button>
        )}
      </details>
      <div className="buttons">
        <button type="button" className="primary" data-answer="yes" disabled={isDisabled} onClick={allow}>
          {isReview ? "Keep" : input ? "Allow the edited command" : "Allow"}
        </button>
        <button type="button" data-answer="no" disabled={isDisabled} onClick={() => deny()}>
          {isReview ? "Remove" : "Deny"}
        </button>
        {isReview && (
          <button
            type="button"
            className="quiet"
            disabled={isDisabled || message.trim() === ""}
            onClick={() => deny({ keep: true })}
          >
            Keep and ask for changes
          </button>
        )}
      </div>
    </div>
  )
}

interface PartRulesProps {
  readonly rules: readonly string[]
  readonly unchecked: readonly string[]
  readonly onToggle: (rule: string) => void
}

const PartRules = ({ rules, unchecked, onToggle }: PartRulesProps): ReactNode => (
  <fieldset>
    <legend>Don't ask again for</legend>
    {rules.map((rule) => (
      <label key={rule} className="choice">
        <input type="checkbox" checked={!unchecked.includes(rule)} onChange={() => onToggle(rule)} />
        <code>{forConsent(ruleWords(rule))}</code>
      </label>
    ))}
  </fieldset>
)

const chosen = (offered: readonly (readonly [Lasting, string])[], value: string): Lasting =>
  offered.find(([each]) => each === value)?.[0] ?? ""
