/** Comments that the model has not got yet, and the way to send them to it as one message. */

import { type ReactNode, useState } from "react"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { at, failureText, post } from "#faces/web/page/api.ts"
import type { ShownSession } from "#faces/web/page/contract.ts"
import type { ShownComment } from "#faces/web/page/contract-changes.ts"
import { Comment } from "./review-parts.tsx"
import { toSession } from "#faces/web/page/route.ts"
import { Problem } from "#faces/web/page/loading.tsx"

interface SendCommentsProps {
  readonly session: ShownSession
  readonly comments: readonly ShownComment[]
  readonly now: number
  readonly mayAct: boolean
  readonly onSent: () => void
  readonly onRemove: (comment: ShownComment) => void
}

export function SendComments({ session, comments, now, mayAct, onSent, onRemove }: SendCommentsProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [note, setNote] = useState("")
  const [problem, setProblem] = useState("")
  const [isSending, setSending] = useState(false)
  const [sent, setSent] = useState(0)
  const waiting = comments.filter(({ sentAt }) => sentAt === undefined)
  const send = async (): Promise<void> => {
    setSending(true)
    const answered = await post<{ readonly sent: number }>(`/api/sessions/${at(session.id)}/comments/send`, {
      comments: waiting.map(({ id }) => id),
      ...(note.trim() !== "" && { note }),
    })
    setSending(false)
    setProblem(answered.ok ? "" : `Not sent: ${failureText(answered.failure)}`)
    if (answered.ok) {
      setSent(answered.value.sent)
      setOpen(false)
      setNote("")
    }
    onSent()
  }
  if (waiting.length === 0)
    return sent === 0 ? null : (
      <p className="send-bar note" role="status">
        Sent {counted(sent, "comment")} to the model. <a href={toSession(session.id)}>See what it does</a>
      </p>
    )
  return (
    <section className="send-bar" aria-label="Comments">
      <div className="buttons">
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {counted(waiting.length, "comment")} not sent
        </button>
        {mayAct && (
          <button type="button" className="primary" disabled={isSending} onClick={() => void send()}>
            Send to the model
          </button>
        )}
      </div>
      {isOpen && (
        <div className="send-list">
          {mayAct && (
            <textarea
              aria-label="What the model is told first"
              rows={2}
              value={note}
              placeholder="What the model is told first. Empty: Address each of these comments."
              onChange={({ target }) => setNote(target.value)}
            />
          )}
          {waiting.map((comment) => (
            <div key={comment.id}>
              {comment.place && (
                <p className="dim">
                  {forConsent(comment.place.path)}, line {comment.place.line}
                </p>
              )}
              <Comment comment={comment} now={now} onRemove={onRemove} />
            </div>
          ))}
        </div>
      )}
      <Problem text={problem} />
    </section>
  )
}
