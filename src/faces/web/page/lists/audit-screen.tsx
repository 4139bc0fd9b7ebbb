/** Who did what, newest first. */

import { type ReactNode, useEffect, useRef, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { type ApiFailure, failureText, get } from "#faces/web/page/api.ts"
import type { AuditDetails } from "#fleet/records.ts"
import type { JsonObject } from "#lib/json.ts"
import type { AuditPage, ShownAuditEntry } from "#faces/web/page/contract.ts"
import { legibleText } from "#faces/web/page/legible.ts"
import { Loading, Problem } from "#faces/web/page/loading.tsx"
import { toSession } from "#faces/web/page/route.ts"

export function AuditScreen(): ReactNode {
  const [who, setWho] = useState("")
  const [names, setNames] = useState<readonly string[]>([])
  const [isEmpty, setEmpty] = useState(true)
  return (
    <div className="screen broad">
      <div className="heading">
        <h1>Audit</h1>
        {!isEmpty && (
          <span className="downloads">
            Download{" "}
            <a href="/api/audit/file?format=csv" download>
              CSV
            </a>
            {" · "}
            <a href="/api/audit/file?format=jsonl" download>
              JSON lines
            </a>
          </span>
        )}
        {!isEmpty && (
          <label>
            <span className="hidden">User</span>
            <select value={who} onChange={({ target }) => setWho(target.value)}>
              <option value="">Everybody</option>
              {names.map((name) => (
                <option key={name} value={name}>
                  {forConsent(name)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Entries
        key={who}
        who={who}
        onRead={(entries) => {
          if (entries.length > 0) setEmpty(false)
          setNames((known) => [...new Set([...known, ...entries.map((each) => each.who)])].toSorted())
        }}
      />
    </div>
  )
}

interface EntriesProps {
  /** Of everybody, if empty. */
  readonly who: string
  readonly onRead: (entries: readonly ShownAuditEntry[]) => void
}

/** Page by page, the latest first. */
function Entries({ who, onRead }: EntriesProps): ReactNode {
  const [entries, setEntries] = useState<readonly ShownAuditEntry[] | undefined>()
  const [failure, setFailure] = useState<ApiFailure | undefined>()
  const [next, setNext] = useState<string | undefined>()
  const reading = useRef(new AbortController())
  const read = async (before: string | undefined): Promise<void> => {
    reading.current.abort()
    const { signal } = (reading.current = new AbortController())
    const query = new URLSearchParams({
      order: "newest",
      ...(who !== "" && { who }),
      ...(before !== undefined && { before }),
    })
    const page = await get<AuditPage>(`/api/audit?${query.toString()}`, signal)
    if (signal.aborted) return
    setFailure(page.ok ? undefined : page.failure)
    if (!page.ok) return
    setEntries((known = []) => [...known, ...page.value.entries])
    setNext(page.value.next)
    onRead(page.value.entries)
  }
  useEffect(() => {
    void read(undefined)
    return () => reading.current.abort()
  }, [])
  if (!entries) return <Loading failure={failure} what="the audit" />
  if (entries.length === 0)
    return (
      <div className="empty">
        <h2>Nothing recorded yet</h2>
        <p>Every decision, sign-in and change of tokens is recorded here with who made it.</p>
      </div>
    )
  return (
    <>
      <div className="wide" tabIndex={0} role="region" aria-label="Audit entries">
        <table className="audit">
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>What</th>
              <th>Session</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, i) => (
              <AuditRow key={i} entry={entry} />
            ))}
          </tbody>
        </table>
      </div>
      <Problem text={failure ? failureText(failure) : ""} />
      {next !== undefined && (
        <button type="button" className="more" onClick={() => void read(next)}>
          Load more
        </button>
      )}
    </>
  )
}

function AuditRow({ entry }: { readonly entry: ShownAuditEntry }): ReactNode {
  const { at, who, what, sessionId, sessionTitle, details = {} } = entry
  return (
    <tr>
      <td>
        <time dateTime={at}>{new Date(at).toLocaleString()}</time>
      </td>
      <td>{who === "?" ? "Unknown" : forConsent(who)}</td>
      <td>
        {forConsent(what)}
        <AuditWhat details={details} />
      </td>
      <td>
        {sessionId !== undefined && (
          <a href={toSession(sessionId)}>{forConsent(sessionTitle ?? `Session ${sessionId.slice(0, 8)}`)}</a>
        )}
      </td>
    </tr>
  )
}

/** What was decided about: the command or the files, and what somebody changed in them. */
function AuditWhat({ details }: { readonly details: AuditDetails }): ReactNode {
  const { tool, command, files = [], title, before, after, answers, message, address, reason } = details
  // Where something was edited, both versions are there.
  const act =
    before && after ? undefined : (command ?? (files.length > 0 ? `${tool ?? ""} ${files.join(", ")}` : title))
  return (
    <>
      {act !== undefined && <code className="audited">{legibleText(act)}</code>}
      {before && <AuditValue name="As shown" value={before} />}
      {after && <AuditValue name="As edited" value={after} />}
      {answers && <AuditValue name="Answers" value={answers} />}
      {message !== undefined && <div>{legibleText(message)}</div>}
      {reason !== undefined && <div>{legibleText(reason)}</div>}
      {address !== undefined && <span className="dim"> from {forConsent(address)}</span>}
    </>
  )
}

/** Longer ones are folded. */
const mostOpen = 600

function AuditValue({ name, value }: { readonly name: string; readonly value: JsonObject }): ReactNode {
  const fields = Object.entries(value).map(([field, each]) => {
    const text = typeof each === "string" ? legibleText(each) : JSON.stringify(each)
    return field === "command" ? text : `${field}: ${text}`
  })
  const text = fields.join("\n")
  return (
    <details open={text.length <= mostOpen}>
      <summary>{name}</summary>
      <code className="audited">{text}</code>
    </details>
  )
}
