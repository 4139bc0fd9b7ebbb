/** One thing that waits for a decision: what exactly, why, what could happen, and the answers. */

import { type ReactNode, useEffect, useId, useState } from "react"
import type { Question } from "#agent/words/question.ts"
import { askerOf } from "#faces/view/asker.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import type { ApprovalDetails } from "#session/port/approval-details.ts"
import { Action } from "./action.tsx"
import type { ShownApproval } from "#session/port/approval.ts"
import { type DecisionBody, send } from "./decide.ts"
import type { FormProps } from "./form-props.ts"
import { PlanForm } from "./plan-form.tsx"
import { QuestionForm } from "./question-form.tsx"
import { toSession } from "./route.ts"
import type { Settlement } from "./settled.ts"
import { ToolForm } from "./tool-form.tsx"
import { ago, kindWords, leftText } from "./words.ts"
import { Problem } from "./loading.tsx"

export interface ApprovalCardProps {
  readonly approval: ShownApproval
  /** What stands above the card: it moves when that changes. */
  readonly above: string
  readonly isInbox: boolean
  /** Whose session it is, where it is not this user's. */
  readonly sessionBy?: string | undefined
  /** The question in the session's log, where it is known: what is too large for an inbox is there. */
  readonly question?: Question | undefined
  /** Why this user can only look at it. */
  readonly readOnly?: string | undefined
  readonly now: number
  /** In the inbox: whether it is decided together with others. */
  readonly selection?: { readonly isChosen: boolean; readonly onChange: (isChosen: boolean) => void } | undefined
  readonly onSettled: (settlement: Settlement) => void
}

/** What appears under the finger, or moves there, must not be answered by it. */
const settleMs = 400

export function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const { approval, above, isInbox, sessionBy, question, readOnly, now, selection, onSettled } = props
  const heading = useId()
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState("")
  const isFresh = useFresh(`${above}${approval.digest}`)
  const decide = (decision: DecisionBody): void => {
    setSending(true)
    setProblem("")
    void send(approval, decision).then((sent) => {
      setSending(false)
      if ("settlement" in sent) onSettled(sent.settlement)
      else setProblem(sent.problem)
    })
  }
  const form: FormProps = {
    approval,
    details: detailsIn(approval, question),
    isDisabled: isSending || isFresh || readOnly !== undefined,
    onDecide: decide,
  }
  const { kind, title, createdAt, expiresAt, explanation, risks } = approval
  const { question: asked, undo, agent } = form.details
  return (
    <article
      className={`card approval ${kind}`}
      aria-labelledby={heading}
      data-approval={approval.id}
      data-session={approval.sessionId}
      tabIndex={-1}
    >
      <header>
        <span className="tag">{kindWords[kind]}</span>
        {isInbox && (
          <a href={toSession(approval.sessionId)} className="of">
            {forConsent(approval.sessionTitle ?? approval.sessionId)}
          </a>
        )}
        {sessionBy !== undefined && <span>by {forConsent(sessionBy)}</span>}
        {agent && <span>{askerOf(agent)}</span>}
        <span className="dim">{ago(createdAt, now)}</span>
        {selection && readOnly === undefined && (
          <label className="select">
            <input
              type="checkbox"
              checked={selection.isChosen}
              onChange={({ target }) => selection.onChange(target.checked)}
            />
            Select
          </label>
        )}
        {expiresAt !== undefined && <span className="expires">{leftText(expiresAt, now)}</span>}
      </header>
      <h2 id={heading}>{asked === undefined ? questionOf(approval) : forConsent(asked)}</h2>
      {kind === "tool" && asked === undefined && !isCommand(approval) && <p>{forConsent(title)}</p>}
      {kind === "tool" && <Action approval={approval} details={form.details} />}
      {kind === "tool" && explanation !== "" && (
        <p className="why">
          {withCode(forConsent(explanation))}
          {undo !== undefined && ` ${undoWords[undo]}`}
        </p>
      )}
      {risks.length > 0 && (
        <ul className="risks" aria-label="Risks">
          {risks.map((risk) => (
            <li key={risk}>{forConsent(risk)}</li>
          ))}
        </ul>
      )}
      {kind === "tool" && <ToolForm {...form} />}
      {kind === "plan" && <PlanForm {...form} />}
      {(kind === "question" || kind === "elicitation") && <QuestionForm {...form} />}
      {readOnly !== undefined && <p className="dim">{readOnly}</p>}
      <Problem text={problem} />
    </article>
  )
}

/** What stands between backticks is code. */
export const withCode = (text: string): ReactNode =>
  text.split(/(`[^`]+`)/).map((part, nth) => (nth % 2 === 1 ? <code key={nth}>{part.slice(1, -1)}</code> : part))

const undoWords = { rewind: "Can be undone by rewinding.", never: "Cannot be undone." } as const

/** A question with another digest is about something else. */
function detailsIn({ details, digest }: ShownApproval, question: Question | undefined): ApprovalDetails {
  const ask = question?.digest === digest && question.ask.kind === "permission" ? question.ask : undefined
  return { ...details, ...optional("display", ask?.display), ...optional("change", ask?.change) }
}

const isCommand = ({ action }: ShownApproval): boolean => typeof action.input["command"] === "string"

function questionOf(approval: ShownApproval): string {
  switch (approval.kind) {
    case "plan":
      return "Approve this plan?"
    case "question":
      return "The model has a question"
    case "elicitation":
      return `${forConsent(approval.action.tool)} asks for something`
    case "tool":
      return isCommand(approval) ? "Run this command?" : `Allow ${forConsent(approval.action.tool)}?`
  }
}

/** True for a moment after what is shown, or where, has changed. */
function useFresh(shown: string): boolean {
  const [settled, setSettled] = useState("")
  useEffect(() => {
    const ending = new AbortController()
    void systemClock.sleep(settleMs, ending.signal).then(() => {
      if (!ending.signal.aborted) setSettled(shown)
    })
    return () => ending.abort()
  }, [shown])
  return settled !== shown
}
