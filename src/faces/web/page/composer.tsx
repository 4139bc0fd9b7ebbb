/** A message to the session: it steers a running turn, or wakes a session that waits. */

import { type ReactNode, useState } from "react"
import { at, failureText, post } from "./api.ts"
import { type Attachment, attachedIn } from "./start/attached.ts"
import { Attaching } from "./start/attaching.tsx"
import type { ShownSession } from "./contract.ts"
import { LongText } from "./long-text.tsx"
import { Problem } from "./loading.tsx"

interface ComposerProps {
  readonly session: ShownSession
  /** Why this user can only look. */
  readonly readOnly: string | undefined
  readonly queue: readonly string[]
  readonly onChange: () => void
}

export function Composer({ session, readOnly, queue, onChange }: ComposerProps): ReactNode {
  const [text, setText] = useState("")
  const [attached, setAttached] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState("")
  const [isSending, setSending] = useState(false)
  if (session.stage === "cancelled") return <p className="dim">This session was cancelled.</p>
  const send = async (): Promise<void> => {
    const message = text.trim()
    if (message === "" || isSending) return
    setSending(true)
    const { prompt, ...images } = attachedIn(message, attached)
    const sent = await post(`/api/sessions/${at(session.id)}/messages`, { text: prompt ?? "", ...images })
    setSending(false)
    setProblem(sent.ok ? "" : `Not sent: ${failureText(sent.failure)}`)
    if (!sent.ok) return
    setText("")
    setAttached([])
    onChange()
  }
  const isRunning = session.worker !== null
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {queue.map((each, i) => (
        <p key={i} className="queued">
          Queued: <LongText text={each} />
        </p>
      ))}
      <label className="hidden" htmlFor="message">
        Message
      </label>
      <Attaching attached={attached} onChange={setAttached}>
        <textarea
          id="message"
          data-message
          rows={2}
          value={text}
          disabled={readOnly !== undefined}
          placeholder={readOnly ?? (isRunning ? "Steer the session; sent at the next step" : "Write a message")}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || (!event.ctrlKey && !event.metaKey)) return
            event.preventDefault()
            void send()
          }}
        />
      </Attaching>
      <button type="submit" className="primary" disabled={text.trim() === "" || isSending} title="Ctrl+Enter">
        Send
      </button>
      <Problem text={problem} />
    </form>
  )
}
