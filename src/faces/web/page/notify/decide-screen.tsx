/** A link that decides, from a mail or a chat: shows the whole action and its one button, or the plan or question and its answers. Opening it decides nothing, and nobody needs to sign in. */

import { type ReactNode, useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import { Action } from "#faces/web/page/action.tsx"
import { type ApiFailure, failureText, post } from "#faces/web/page/api.ts"
import { withCode } from "#faces/web/page/approval-card.tsx"
import type { LinkedDecision } from "#faces/web/page/contract-lists.ts"
import { type DecisionBody, problemText } from "#faces/web/page/decide.ts"
import type { FormProps } from "#faces/web/page/form-props.ts"
import { Problem } from "#faces/web/page/loading.tsx"
import { PlanForm } from "#faces/web/page/plan-form.tsx"
import { QuestionForm } from "#faces/web/page/question-form.tsx"

/** What has just appeared under the finger must not be answered by it. */
const settleMs = 400

export function DecideScreen({ link }: { readonly link: string }): ReactNode {
  const [linked, setLinked] = useState<LinkedDecision>()
  const [decided, setDecided] = useState<ShownApproval>()
  const [problem, setProblem] = useState("")
  const [isBusy, setBusy] = useState(true)
  useEffect(() => {
    const gone = new AbortController()
    document.title = "Decide · Codewright"
    setLinked(undefined)
    setDecided(undefined)
    setProblem("")
    setBusy(true)
    void post<LinkedDecision>("/api/decide/look", { link }).then(async (looked) => {
      if (gone.signal.aborted) return
      if (looked.ok) setLinked(looked.value)
      else setProblem(failureText(looked.failure))
      await systemClock.sleep(settleMs, gone.signal)
      if (!gone.signal.aborted) setBusy(false)
    })
    return () => gone.abort()
  }, [link])
  const decide = (decision?: DecisionBody): void => {
    setBusy(true)
    setProblem("")
    void post<ShownApproval>("/api/decide", { link, ...(decision && { to: decision.to, ...decision.body }) }).then(
      (answered) => {
        if (answered.ok) return setDecided(answered.value)
        setProblem(problemText(answered.failure))
        const mayTryAgain = answered.failure.kind === "offline" || isWorthTrying(answered.failure)
        setBusy(!mayTryAgain)
      },
    )
  }
  return (
    <main className="decide-by-link">
      <p className="brand">Codewright</p>
      {!linked && problem === "" && <p role="status">Loading…</p>}
      {decided ? (
        <>
          <h1>{decided.effective ? outcomeOf(decided) : "Already decided"}</h1>
          <p role="status">
            {decided.effective
              ? "The session continues."
              : `${forConsent(decided.decidedBy ?? "Somebody")} ${stateVerbs(decided.kind)[decided.state === "allowed" ? 0 : 1]} it before you.`}
          </p>
        </>
      ) : (
        linked && <Linked linked={linked} isBusy={isBusy} onDecide={decide} />
      )}
      {problem !== "" && (
        <>
          {!linked && <h1>This link does not work</h1>}
          <Problem text={forConsent(problem)} />
        </>
      )}
      <p>
        <a href="#/">Open the inbox</a>
      </p>
    </main>
  )
}

/** What could be sent again, once something else was said, or later. */
const isWorthTrying = (failure: ApiFailure): boolean =>
  failure.kind === "refused" && (failure.code === "invalid" || failure.status >= 429)

const stateVerbs = (kind: ShownApproval["kind"]): readonly [yes: string, no: string] =>
  kind === "plan" ? ["approved", "rejected"] : kind === "tool" ? ["allowed", "denied"] : ["answered", "declined"]

function outcomeOf({ kind, state }: ShownApproval): string {
  const [yes, no] = stateVerbs(kind)
  const verb = state === "allowed" ? yes : no
  return `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`
}

interface LinkedProps {
  readonly linked: LinkedDecision
  readonly isBusy: boolean
  readonly onDecide: (decision?: DecisionBody) => void
}

function Linked({ linked, isBusy, onDecide }: LinkedProps): ReactNode {
  const { approval, who, sessionTitle, state } = linked
  if (!approval)
    return (
      <>
        <h1>{overTitles[state]}</h1>
        <p role="status">{overWords(linked)}</p>
      </>
    )
  const { kind, details = {} } = approval
  const form: FormProps = { approval, details, isDisabled: isBusy, onDecide }
  return (
    <>
      <h1>{headingOf(linked, approval)}</h1>
      <p className="dim">
        {forConsent(sessionTitle)} · as {forConsent(who)}
      </p>
      {kind === "tool" && <LinkedAction approval={approval} linked={linked} isBusy={isBusy} onDecide={onDecide} />}
      {kind === "plan" && <PlanForm {...form} under={1} />}
      {kind === "question" && <QuestionForm {...form} />}
    </>
  )
}

const isCommand = ({ action }: ShownApproval): boolean => typeof action.input["command"] === "string"

const verbOf = ({ decision }: LinkedDecision): string => (decision === "allow" ? "Allow" : "Deny")

function headingOf(linked: LinkedDecision, approval: ShownApproval): string {
  if (approval.kind === "plan") return "Approve this plan?"
  if (approval.kind === "question") return "The model has a question"
  return `${verbOf(linked)} ${isCommand(approval) ? "this command" : forConsent(approval.action.tool)}?`
}

interface LinkedActionProps extends LinkedProps {
  readonly approval: ShownApproval
}

function LinkedAction({ linked, approval, isBusy, onDecide }: LinkedActionProps): ReactNode {
  const { details = {}, explanation, risks, title } = approval
  return (
    <>
      {!isCommand(approval) && <p>{forConsent(title)}</p>}
      <Action approval={approval} details={details} />
      {explanation !== "" && <p className="why">{withCode(forConsent(explanation))}</p>}
      {risks.length > 0 && (
        <ul className="risks" aria-label="Risks">
          {risks.map((risk) => (
            <li key={risk}>{forConsent(risk)}</li>
          ))}
        </ul>
      )}
      <div className="buttons">
        <button
          type="button"
          className={linked.decision === "allow" ? "primary" : "danger"}
          disabled={isBusy}
          onClick={() => onDecide()}
        >
          {verbOf(linked)}
        </button>
      </div>
    </>
  )
}

const overTitles: { readonly [state in LinkedDecision["state"]]: string } = {
  open: "",
  used: "This link was used before",
  expired: "This link has expired",
  changed: "The action has changed",
  decided: "Already decided",
  forbidden: "This link does not work any more",
}

function overWords({ state, who, decided }: LinkedDecision): string {
  const by = decided ? ` ${forConsent(decided.by)} ${decided.state} it.` : ""
  switch (state) {
    case "open":
      return ""
    case "used":
      return `Each link works once.${by}`
    case "expired":
      return "Links work for one hour. What is still open is in your inbox."
    case "changed":
      return "It is no longer the one this link was sent for. Review it in your inbox."
    case "decided":
      return by.trim()
    case "forbidden":
      return `${forConsent(who)} can no longer decide in this session.`
  }
}
