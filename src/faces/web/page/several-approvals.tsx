/** Several approvals decided together: chosen one by one, shown once more, and confirmed. Each is a decision of its own. */

import { type ReactNode, useEffect, useRef, useState } from "react"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { SignedIn } from "./contract.ts"
import { send } from "./decide.ts"
import { consentLines } from "./legible.ts"
import type { Settlement } from "./settled.ts"
import { sessionByOther } from "./words.ts"

/** What can be said about many at once: calls that wait as they are, not plans, questions or new files. */
export const isOneOfMany = ({ kind, details }: ShownApproval): boolean => kind === "tool" && details?.review !== true

export const choiceKey = ({ sessionId, id, digest }: ShownApproval): string => [sessionId, id, digest].join("\n")

interface SeveralProps {
  readonly chosen: readonly ShownApproval[]
  readonly me: SignedIn | undefined
  readonly onSettled: (settlement: Settlement) => void
  readonly onClear: () => void
}

export function SeveralApprovals({ chosen, me, onSettled, onClear }: SeveralProps): ReactNode {
  const [asked, setAsked] = useState<{
    readonly decision: "allow" | "deny"
    readonly approvals: readonly ShownApproval[]
  }>()
  if (chosen.length === 0 && !asked) return null
  return (
    <section className="send-bar" aria-label="Selected approvals">
      <div className="buttons">
        <span role="status">{counted(chosen.length, "approval")} selected</span>
        <button type="button" onClick={() => setAsked({ decision: "allow", approvals: chosen })}>
          Allow…
        </button>
        <button type="button" onClick={() => setAsked({ decision: "deny", approvals: chosen })}>
          Deny…
        </button>
        <button type="button" className="quiet" onClick={onClear}>
          Clear
        </button>
      </div>
      {asked && (
        <Confirm
          {...asked}
          me={me}
          onSettled={onSettled}
          onClose={(isDone) => {
            setAsked(undefined)
            if (isDone) onClear()
          }}
        />
      )}
    </section>
  )
}

function sessionWords(approval: ShownApproval, me: SignedIn | undefined): string {
  const by = sessionByOther(approval, me)
  return [approval.sessionTitle ?? "", ...(by === undefined ? [] : [`by ${by}`])].join(" ")
}

interface ConfirmProps {
  readonly decision: "allow" | "deny"
  /** As they were when they were chosen: what has changed since is not decided. */
  readonly approvals: readonly ShownApproval[]
  readonly me: SignedIn | undefined
  readonly onSettled: (settlement: Settlement) => void
  readonly onClose: (isDone: boolean) => void
}

function Confirm({ decision, approvals, me, onSettled, onClose }: ConfirmProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isSending, setSending] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  useEffect(() => dialog.current?.showModal(), [])
  const verb = decision === "allow" ? "Allow" : "Deny"
  const decide = async (): Promise<void> => {
    setSending(true)
    const failures: string[] = []
    for (const approval of approvals) {
      const sent = await send(approval, { to: "approval", body: { decision } })
      if ("settlement" in sent) onSettled(sent.settlement)
      else failures.push(`${approval.title}: ${sent.problem}`)
    }
    setSending(false)
    setProblems(failures)
    if (failures.length === 0) onClose(true)
  }
  return (
    <dialog ref={dialog} aria-labelledby="several-title" onClose={() => onClose(problems.length > 0)}>
      <h2 id="several-title">
        {verb} {counted(approvals.length, "action")}?
      </h2>
      <ul className="several">
        {approvals.map((approval) => (
          <li key={choiceKey(approval)}>
            <code>{consentLines(commandOf(approval))}</code>
            <span className="dim">{forConsent(sessionWords(approval, me))}</span>
            {approval.risks.map((risk) => (
              <span key={risk} className="bad">
                {forConsent(risk)}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {problems.length > 0 && (
        <div role="alert" className="bad">
          {problems.map((problem) => (
            <p key={problem}>{forConsent(problem)}</p>
          ))}
        </div>
      )}
      <div className="buttons">
        {/* First, so that Enter decides nothing. */}
        <button type="button" onClick={() => dialog.current?.close()}>
          {problems.length > 0 ? "Close" : "Cancel"}
        </button>
        {problems.length === 0 && (
          <button
            type="button"
            className={decision === "allow" ? "primary" : "danger"}
            disabled={isSending}
            onClick={() => void decide()}
          >
            {verb} {approvals.length === 1 ? "it" : `all ${approvals.length}`}
          </button>
        )}
      </div>
    </dialog>
  )
}

const commandOf = ({ action, title }: ShownApproval): string => {
  const { command } = action.input
  return typeof command === "string" ? command : title
}
