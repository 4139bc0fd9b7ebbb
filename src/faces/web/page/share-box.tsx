/** Sharing a session: a link for a role, the people it is shared with, and handing it to somebody else. */

import { type ReactNode, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { type ApiResult, at, failureText, post, remove } from "./api.ts"
import type { ShownSession, SignedIn } from "./contract.ts"
import type { Choices, SharedLink, Sharing } from "./contract-lists.ts"
import { CopyButton } from "./copy-button.tsx"
import { usePolled } from "./polled.ts"
import { Problem } from "./loading.tsx"

interface ShareBoxProps {
  readonly session: ShownSession
  readonly onChange: () => void
}

/** Whether this user may share it. */
export const mayShare = ({ createdBy }: ShownSession, me: SignedIn | undefined): boolean =>
  me !== undefined && me.role !== "viewer" && (me.role === "admin" || me.name === createdBy)

const roleWords = { viewer: "can look", operator: "can decide and steer", admin: "" } as const

export function ShareBox({ session, onChange }: ShareBoxProps): ReactNode {
  const path = `/api/sessions/${at(session.id)}`
  const sharing = usePolled<Sharing>(`${path}/sharing`, { everyMs: 30_000 })
  const choices = usePolled<Choices>("/api/choices", { everyMs: 60_000 })
  const [role, setRole] = useState<"viewer" | "operator">("viewer")
  const [link, setLink] = useState("")
  const [to, setTo] = useState("")
  const [said, setSaid] = useState("")
  const [problem, setProblem] = useState("")
  const act = async <T,>(asked: Promise<ApiResult<T>>, done: (value: T) => void): Promise<void> => {
    const answered = await asked
    setProblem(answered.ok ? "" : failureText(answered.failure))
    setSaid("")
    if (answered.ok) done(answered.value)
    sharing.refresh()
  }
  const people = sharing.value?.people ?? []
  const others = (choices.value?.people ?? []).filter((name) => name !== session.createdBy)
  return (
    <div className="form">
      {people.length > 0 && (
        <>
          <ul>
            {people.map((each) => (
              <li key={each.name}>
                {forConsent(each.name)} <span className="dim">{roleWords[each.role]}</span>
              </li>
            ))}
          </ul>
          <button
            type="button"
            className="quiet"
            onClick={() => void act(remove(`${path}/sharing`), () => setLink(""))}
          >
            Stop sharing
          </button>
        </>
      )}
      <div className="row">
        <label htmlFor="share-role">Whoever opens the link</label>
        <select
          id="share-role"
          value={role}
          onChange={({ target }) => setRole(target.value === "operator" ? "operator" : "viewer")}
        >
          <option value="viewer">{roleWords.viewer}</option>
          <option value="operator">{roleWords.operator}</option>
        </select>
      </div>
      <button
        type="button"
        onClick={() =>
          void act(post<SharedLink>(`${path}/links`, { role }), (made) =>
            setLink(`${location.origin}/#/shared/${made.link}`),
          )
        }
      >
        Make a link
      </button>
      {link !== "" && (
        <div className="code copied">
          <CopyButton text={link} />
          <pre tabIndex={0} aria-label="Link">
            {link}
          </pre>
          <p className="dim">It works for 7 days, for people who sign in here.</p>
        </div>
      )}
      {others.length > 0 && (
        <div className="row">
          <label htmlFor="hand-to">Hand it to</label>
          <select id="hand-to" value={to} onChange={({ target }) => setTo(target.value)}>
            <option value="">Choose a person</option>
            {others.map((name) => (
              <option key={name} value={name}>
                {forConsent(name)}
              </option>
            ))}
          </select>
        </div>
      )}
      {to !== "" && (
        <button
          type="button"
          onClick={() =>
            void act(post(`${path}/owner`, { to }), () => {
              setSaid(`It belongs to ${forConsent(to)} now.`)
              setTo("")
              onChange()
            })
          }
        >
          Hand it to {forConsent(to)}
        </button>
      )}
      <p role="status" className={said === "" ? "hidden" : "dim"}>
        {said}
      </p>
      <Problem text={forConsent(problem)} />
    </div>
  )
}
