/** A link that decides, from a mail or a chat: shows the whole action and has one button. Opening it decides nothing, and nobody needs to sign in. */

import { type ReactNode, useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import { Action } from "#faces/web/page/action.tsx"
import { failureText, post } from "#faces/web/page/api.ts"
import type { LinkedDecision } from "#faces/web/page/contract-lists.ts"

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
  const decide = (): void => {
    setBusy(true)
    void post<ShownApproval>("/api/decide", { link }).then((answered) => {
      if (answered.ok) setDecided(answered.value)
      else setProblem(failureText(answered.failure))
    })
  }
  return (
    <main className="decide-by-link">
      <p className="brand">Codewright</p>
      {!linked && problem === "" && <p role="status">Loading…</p>}
      {decided ? (
        <>
          <h1>
            {decided.effective ? outcomeWords[decided.state === "allowed" ? "allowed" : "denied"] : "Already decided"}
          </h1>
          <p role="status">
            {decided.effective
              ? "The session continues."
              : `${forConsent(decided.decidedBy ?? "Somebody")} ${decided.state} it before you.`}
          </p>
        </>
      ) : (
        linked && <Linked linked={linked} isBusy={isBusy} onDecide={decide} hasFailed={problem !== ""} />
      )}
      {problem !== "" && (
        <>
          {!linked && <h1>This link does not work</h1>}
          <p className="bad" role="alert">
            {forConsent(problem)}
          </p>
        </>
      )}
      <p>
        <a href="#/">Open the inbox</a>
      </p>
    </main>
  )
}

const outcomeWords = { allowed: "Allowed", denied: "Denied" } as const

interface LinkedProps {
  readonly linked: LinkedDecision
  readonly isBusy: boolean
  readonly hasFailed: boolean
  readonly onDecide: () => void
}

function Linked({ linked, isBusy, hasFailed, onDecide }: LinkedProps): ReactNode {
  const { approval, decision, who, sessionTitle, state } = linked
  if (!approval)
    return (
      <>
        <h1>{overTitles[state]}</h1>
        <p role="status">{overWords(linked)}</p>
      </>
    )
  const { action, details = {}, explanation, risks, title } = approval
  const isCommand = typeof action.input["command"] === "string"
  const verb = decision === "allow" ? "Allow" : "Deny"
  return (
    <>
      <h1>{`${verb} ${isCommand ? "this command" : forConsent(action.tool)}?`}</h1>
      <p className="dim">
        {forConsent(sessionTitle)} · as {forConsent(who)}
      </p>
      {!isCommand && <p>{forConsent(title)}</p>}
      <Action approval={approval} details={details} />
      {explanation !== "" && <p className="why">{forConsent(explanation)}</p>}
      {risks.length > 0 && (
        <ul className="risks" aria-label="Risks">
          {risks.map((risk) => (
            <li key={risk}>{forConsent(risk)}</li>
          ))}
        </ul>
      )}
      {!hasFailed && (
        <div className="buttons">
          <button
            type="button"
            className={decision === "allow" ? "primary" : "danger"}
            disabled={isBusy}
            onClick={onDecide}
          >
            {verb}
          </button>
        </div>
      )}
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
