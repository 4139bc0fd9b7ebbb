/** Questions with choices, and room for an answer that is none of them. */

import { type ReactNode, useId, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import type { FormProps } from "./form-props.ts"
import { answerText, askedIn, type AskedQuestion } from "./asked.ts"

interface Given {
  readonly chosen: readonly string[]
  readonly written: string
}

const nothingGiven: Given = { chosen: [], written: "" }

export function QuestionForm({ approval, isDisabled, onDecide }: FormProps): ReactNode {
  const questions = askedIn(
    approval.kind === "elicitation" ? "elicitation" : "question",
    approval.action.tool,
    approval.action.input,
  )
  const [drafts, setDrafts] = useState<{ readonly [question: string]: Given }>({})
  const answers = questions.flatMap(({ question }) => {
    const { chosen, written } = drafts[question] ?? nothingGiven
    const text = answerText(chosen, written)
    return text === undefined ? [] : [[question, text] as const]
  })
  const isWhole = answers.length === questions.length && questions.length > 0
  const { message } = approval.action.input
  return (
    <div className="form questions">
      {questions.length === 0 && (
        <>
          {typeof message === "string" && <p>{forConsent(message)}</p>}
          <p>This page cannot show the form. Answer it in a terminal with codewright sessions, or decline.</p>
        </>
      )}
      {questions.map((asked) => (
        <OneQuestion
          key={asked.question}
          asked={asked}
          given={drafts[asked.question] ?? nothingGiven}
          onChange={(change) => setDrafts((before) => ({ ...before, [asked.question]: change }))}
        />
      ))}
      <div className="buttons">
        <button
          type="button"
          className="primary"
          data-answer="yes"
          disabled={isDisabled || !isWhole}
          onClick={() => onDecide({ to: "answer", body: { answers: Object.fromEntries(answers) } })}
        >
          Send answer
        </button>
        <button
          type="button"
          data-answer="no"
          disabled={isDisabled}
          onClick={() => onDecide({ to: "approval", body: { decision: "deny" } })}
        >
          Decline to answer
        </button>
      </div>
    </div>
  )
}

interface OneQuestionProps {
  readonly asked: AskedQuestion
  readonly given: Given
  readonly onChange: (draft: Given) => void
}

function OneQuestion({ asked, given, onChange }: OneQuestionProps): ReactNode {
  const { question, options, isMultiple } = asked
  const name = useId()
  const { chosen, written } = given
  const choose = (label: string, isOn: boolean): void => {
    const others = isMultiple ? chosen.filter((each) => each !== label) : []
    onChange({ written: isMultiple ? written : "", chosen: isOn ? [...others, label] : others })
  }
  return (
    <fieldset>
      <legend>{forConsent(question)}</legend>
      {options.map(({ label, description }) => (
        <label key={label} className="choice">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(label)}
            onChange={(event) => choose(label, event.target.checked)}
          />
          <span>
            {forConsent(label)}
            {description !== "" && <span className="dim"> {forConsent(description)}</span>}
          </span>
        </label>
      ))}
      <label className="other">
        <span>{options.length > 0 ? "Another answer" : "Answer"}</span>
        <textarea
          rows={options.length > 0 ? 1 : 3}
          value={written}
          onChange={(event) => onChange({ chosen: isMultiple ? chosen : [], written: event.target.value })}
        />
      </label>
    </fieldset>
  )
}
