/** The rules that a yes saves, written by whoever decides in place of those offered. */

import { type ReactNode, useId } from "react"
import { ruleWords } from "#faces/view/consent.ts"
import { forConsent } from "#lib/printable.ts"

/** What was written in place of each offered rule. */
export type RuleEdits = { readonly [offered: string]: string }

/** What stands in place of this one; nothing if it is as offered. */
export function writtenFor(edits: RuleEdits, rule: string): string | undefined {
  const text = edits[rule]?.trim()
  return text === undefined || text === "" || text === rule ? undefined : text
}

interface RuleEditorProps {
  readonly rules: readonly string[]
  readonly edits: RuleEdits
  readonly onEdit: (rule: string, text: string) => void
}

export function RuleEditor({ rules, edits, onEdit }: RuleEditorProps): ReactNode {
  const about = useId()
  return (
    <details className="rule-editor">
      <summary>{rules.length === 1 ? "Edit the rule" : "Edit the rules"}</summary>
      {rules.map((rule) => (
        <label key={rule}>
          {rules.length === 1 ? "Rule" : `Rule for ${forConsent(ruleWords(rule))}`}
          <input
            className="mono"
            value={edits[rule] ?? rule}
            maxLength={500}
            spellCheck={false}
            autoCapitalize="off"
            aria-describedby={about}
            onChange={({ target }) => onEdit(rule, target.value)}
          />
        </label>
      ))}
      <p id={about} className="dim">
        <code>*</code> stands for anything. A rule is about the same tool, and must cover this action.
      </p>
    </details>
  )
}
