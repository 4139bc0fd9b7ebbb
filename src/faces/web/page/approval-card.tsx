/** One thing that waits for a decision: what exactly, why, what could happen, and the answers. */

import { type ReactNode, useEffect, useId, useState } from "react"
import type { Question } from "#agent/words/question.ts"
import type { FleetPlan } from "#fleet/records.ts"
import { systemClock } from "#lib/clock.ts"
import { bared } from "#lib/printable.ts"
import { Action } from "./action.tsx"
import type { ShownApproval, SignedIn } from "./contract.ts"
import { type DecisionBody, send } from "./decide.ts"
import type { FormProps } from "./form-props.ts"
import { PlanForm } from "./plan-form.tsx"
import { QuestionForm } from "./question-form.tsx"
import { toSession } from "./route.ts"
import type { Settlement } from "./settled.ts"
import { ToolForm } from "./tool-form.tsx"
import { ago, kindWords, leftText } from "./words.ts"

export interface ApprovalCardProps {
  readonly approval: ShownApproval
  /** Of the session, where the card is not shown inside it. */
  readonly sessionTitle?: string
  /** The question in the session's log, where it is known: it may show more. */
  readonly question?: Question | undefined
  /** Of the session: what it names, and what is in it. */
  readonly plan?: FleetPlan | undefined
  readonly me: SignedIn | undefined
  readonly now: number
  readonly onSettled: (settlement: Settlement) => void
}

/** What appears under the finger must not be answered by it. */
const settleMs = 400

export function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const { approval, sessionTitle, question, plan, me, now, onSettled } = props
  const heading = useId()
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState("")
  const isFresh = useFresh(approval.digest)
  const isViewer = me?.role === "viewer"
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
    // A plan with another digest is another plan.
    plan: plan?.digest === approval.digest ? plan : undefined,
    question: question?.digest === approval.digest ? question : undefined,
    isDisabled: isSending || isFresh || isViewer,
    onDecide: decide,
  }
  const { kind, title, createdAt, expiresAt, explanation, risks } = approval
  return (
    <article className={`card approval ${kind}`} aria-labelledby={heading} data-approval={approval.id} tabIndex={-1}>
      <header>
        <span className="tag">{kindWords[kind]}</span>
        {sessionTitle !== undefined && (
          <a href={toSession(approval.sessionId)} className="of">
            {bared(sessionTitle)}
          </a>
        )}
        <span className="dim">{ago(createdAt, now)}</span>
        {expiresAt !== undefined && <span className="expires">{leftText(expiresAt, now)}</span>}
      </header>
      <h3 id={heading}>{questionOf(approval)}</h3>
      {kind === "tool" && !isCommand(approval) && <p>{bared(title)}</p>}
      {kind === "tool" && <Action approval={approval} question={form.question} />}
      {kind === "tool" && explanation !== "" && <p className="why">{bared(explanation)}</p>}
      {risks.length > 0 && (
        <ul className="risks" aria-label="Risks">
          {risks.map((risk) => (
            <li key={risk}>{bared(risk)}</li>
          ))}
        </ul>
      )}
      {kind === "tool" && <ToolForm {...form} />}
      {kind === "plan" && <PlanForm {...form} />}
      {(kind === "question" || kind === "elicitation") && <QuestionForm {...form} />}
      {isViewer && <p className="dim">Your role is viewer: an operator decides.</p>}
      {problem !== "" && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
    </article>
  )
}

const isCommand = ({ action }: ShownApproval): boolean => typeof action.input["command"] === "string"

function questionOf(approval: ShownApproval): string {
  switch (approval.kind) {
    case "plan":
      return "Approve this plan?"
    case "question":
      return "The model has a question"
    case "elicitation":
      return `${bared(approval.action.tool)} asks for something`
    case "tool":
      return isCommand(approval) ? "Run this command?" : `Allow ${bared(approval.action.tool)}?`
  }
}

/** True for a moment after what is shown has changed. */
function useFresh(digest: string): boolean {
  const [settled, setSettled] = useState("")
  useEffect(() => {
    const ending = new AbortController()
    void systemClock.sleep(settleMs, ending.signal).then(() => {
      if (!ending.signal.aborted) setSettled(digest)
    })
    return () => ending.abort()
  }, [digest])
  return settled !== digest
}
