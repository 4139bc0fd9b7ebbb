/** What a session did, as a branch and a pull request: proposed, edited here, and done once. */

import { type ReactNode, useId, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { at, failureText, post } from "#faces/web/page/api.ts"
import type { ShownSession } from "#faces/web/page/contract.ts"
import type { ChangesPage } from "#faces/web/page/contract-changes.ts"
import { Problem } from "#faces/web/page/loading.tsx"

interface PublishFormProps {
  readonly session: ShownSession
  readonly published: ChangesPage["published"]
  readonly onDone: () => void
}

interface PublishOutcome {
  readonly branch: string
  readonly committed: boolean
  readonly pull?: { readonly url: string; readonly number: number; readonly existed: boolean }
}

export function Published({ published }: Pick<PublishFormProps, "published">): ReactNode {
  if (published.length === 0) return null
  return (
    <ul className="published">
      {published.map(({ branch, pull }) => (
        <li key={branch}>
          <span className="mono">{forConsent(branch)}</span> {pull && <PullLink {...pull} />}
        </li>
      ))}
    </ul>
  )
}

/** An address that another server gave is followed only if it is one of the web. */
function PullLink({ url, number }: { readonly url: string; readonly number: number }): ReactNode {
  const text = `Pull request #${number}`
  if (!/^https?:\/\//i.test(url)) return text
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" title={forConsent(url)}>
      {text}
    </a>
  )
}

export function PublishForm({ session, published, onDone }: PublishFormProps): ReactNode {
  const last = published[0]
  const [branch, setBranch] = useState(last?.branch ?? proposedBranch(session))
  const [title, setTitle] = useState(session.title)
  const [body, setBody] = useState(proposedBody(session))
  const [into, setInto] = useState("git" in session.workspace ? (session.workspace.git.ref ?? "") : "")
  const [hasPull, setPull] = useState(true)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState("")
  const [outcome, setOutcome] = useState<PublishOutcome>()
  const send = async (): Promise<void> => {
    setSending(true)
    setProblem("")
    setOutcome(undefined)
    const answered = await post<PublishOutcome>(`/api/sessions/${at(session.id)}/publish`, {
      message: title,
      branch: branch.trim(),
      ...(hasPull && { pull: { title, body, ...(into.trim() !== "" && { into: into.trim() }) } }),
    })
    setSending(false)
    if (answered.ok) setOutcome(answered.value)
    else setProblem(failureText(answered.failure))
    onDone()
  }
  return (
    <form
      className="card form publish"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Row label="Title, also of the commit">
        {(id) => <input id={id} value={title} onChange={({ target }) => setTitle(target.value)} />}
      </Row>
      <div className="columns">
        <Row label="Branch">
          {(id) => (
            <input
              id={id}
              className="mono"
              spellCheck={false}
              value={branch}
              onChange={({ target }) => setBranch(target.value)}
            />
          )}
        </Row>
        <Row label="Into">
          {(id) => (
            <input
              id={id}
              className="mono"
              spellCheck={false}
              value={into}
              disabled={!hasPull}
              placeholder="the default branch"
              onChange={({ target }) => setInto(target.value)}
            />
          )}
        </Row>
      </div>
      <label className="choice">
        <input type="checkbox" checked={hasPull} onChange={({ target }) => setPull(target.checked)} />
        <span>Open a pull request</span>
      </label>
      {hasPull && (
        <Row label="Description">
          {(id) => <textarea id={id} rows={6} value={body} onChange={({ target }) => setBody(target.value)} />}
        </Row>
      )}
      <div className="buttons">
        <button type="submit" className="primary" disabled={isSending || title.trim() === "" || branch.trim() === ""}>
          {hasPull ? "Push and open pull request" : "Commit and push"}
        </button>
      </div>
      <p role="status" className={isSending || outcome ? "" : "hidden"}>
        {isSending && "Working…"}
        {outcome && (
          <>
            Pushed {forConsent(outcome.branch)}.{" "}
            {outcome.pull && (
              <>
                {outcome.pull.existed ? "It is part of " : "Opened "}
                <PullLink {...outcome.pull} />
              </>
            )}
          </>
        )}
      </p>
      <Problem text={forConsent(problem)} />
    </form>
  )
}

const proposedBranch = ({ title, id }: ShownSession): string => {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "")
  return `codewright/${slug === "" ? "" : `${slug}-`}${id.slice(0, 8).replace(/[^\w]/g, "")}`
}

function proposedBody({ query, clarifiedQuery, result }: ShownSession): string {
  const task = (clarifiedQuery ?? query).trim()
  const done = result?.ok ? result.text.trim() : ""
  return [...(done === "" ? [] : [done]), `Task:\n\n${task.replace(/^/gm, "> ")}`].join("\n\n").slice(0, 60_000)
}

function Row({ label, children }: { readonly label: string; readonly children: (id: string) => ReactNode }): ReactNode {
  const id = useId()
  return (
    <div className="row">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  )
}
