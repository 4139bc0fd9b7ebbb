/** Who did what, newest first. */

import { type ReactNode, useEffect, useState } from "react"
import { forConsent } from "#lib/printable.ts"
import { type ApiFailure, get } from "#faces/web/page/api.ts"
import type { AuditDetails } from "#fleet/records.ts"
import type { JsonObject } from "#lib/json.ts"
import type { AuditPage, ShownAuditEntry } from "#faces/web/page/contract.ts"
import { legibleText } from "#faces/web/page/legible.ts"
import { Loading } from "#faces/web/page/loading.tsx"
import { toSession } from "#faces/web/page/route.ts"

export function AuditScreen(): ReactNode {
  const [entries, setEntries] = useState<readonly ShownAuditEntry[] | undefined>()
  const [failure, setFailure] = useState<ApiFailure | undefined>()
  const [who, setWho] = useState("")
  useEffect(() => {
    const ending = new AbortController()
    void readAll(ending.signal)
    return () => ending.abort()

    async function readAll(signal: AbortSignal): Promise<void> {
      const all: ShownAuditEntry[] = []
      for (let after: string | undefined = "0"; after !== undefined;) {
        const page: Awaited<ReturnType<typeof get<AuditPage>>> = await get<AuditPage>(
          `/api/audit?after=${after}`,
          signal,
        )
        if (signal.aborted) return
        if (!page.ok) return setFailure(page.failure)
        all.push(...page.value.entries)
        setEntries(all.toReversed())
        after = page.value.next
      }
    }
  }, [])
  const names = [...new Set(entries?.map((each) => each.who))].toSorted()
  const shown = entries?.filter((each) => who === "" || each.who === who)
  return (
    <div className="screen broad">
      <div className="heading">
        <h1>Audit</h1>
        {entries && entries.length > 0 && (
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
        {entries && (
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
      {!entries && <Loading failure={failure} what="the audit" />}
      {shown?.length === 0 && (
        <div className="empty">
          <h2>Nothing recorded yet</h2>
          <p>Every decision, sign-in and change of tokens is recorded here with who made it.</p>
        </div>
      )}
      {shown && shown.length > 0 && (
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
              {shown.slice(0, 1000).map((entry, i) => (
                <AuditRow key={i} entry={entry} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
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
