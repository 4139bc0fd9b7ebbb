/** Before a rule is saved: which decisions of the past it would have answered. */

import { type ReactNode, useEffect, useState } from "react"
import { systemClock } from "#lib/clock.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import { type ApiResult, at, failureText, get } from "#faces/web/page/api.ts"
import type { Coverage, Remember } from "#faces/web/page/contract.ts"
import { useNow } from "#faces/web/page/polled.ts"
import { toSession } from "#faces/web/page/route.ts"
import { ago, stateWords } from "#faces/web/page/words.ts"

interface RuleCoverageProps {
  readonly approval: ShownApproval
  readonly remember: Remember
  /** Places of the rules that are checked and as they were offered. */
  readonly rules: readonly number[]
  /** Those that are written instead. */
  readonly written: readonly string[]
}

/** Nobody looks at what a half-written rule would have covered. */
const typingMs = 300

const whereWords: { readonly [remember in Remember]: string } = {
  session: "in this session",
  project: "in this project",
  user: "in all sessions",
}

export function RuleCoverage({ approval: { sessionId, id }, remember, rules, written }: RuleCoverageProps): ReactNode {
  const [found, setFound] = useState<ApiResult<Coverage>>()
  const now = useNow()
  const chosen = new URLSearchParams({
    remember,
    ...(rules.length > 0 && { rules: rules.join(",") }),
    ...(written.length > 0 && { written: written.join("\n") }),
  }).toString()
  const pauseMs = written.length > 0 ? typingMs : 0
  useEffect(() => {
    const ending = new AbortController()
    setFound(undefined)
    async function loadCoverage(): Promise<void> {
      await systemClock.sleep(pauseMs, ending.signal)
      if (ending.signal.aborted) return
      const path = `/api/sessions/${at(sessionId)}/approvals/${at(id)}/coverage?${chosen}`
      const answered = await get<Coverage>(path, ending.signal)
      if (!ending.signal.aborted) setFound(answered)
    }
    void loadCoverage()
    return () => ending.abort()
  }, [sessionId, id, chosen, pauseMs])
  if (!found?.ok)
    return (
      <p role="status" className={found ? "bad" : "dim"}>
        {found ? forConsent(failureText(found.failure)) : "Looking at earlier decisions…"}
      </p>
    )
  const { compared, allowed, denied, examples } = found.value
  return (
    <section className="coverage" aria-label="What it would have covered">
      <p role="status">
        {summary(found.value, whereWords[remember])}
        {denied > 0 && (
          <strong className="bad">
            {" "}
            {denied === 1 ? "One of them was denied." : `${denied} of them were denied.`}
          </strong>
        )}
      </p>
      {compared > 0 && examples.length > 0 && (
        <ul>
          {examples.map(({ sessionId: of, sessionTitle, approvalId, what, state, by, at: time }) => (
            <li key={`${of} ${approvalId}`}>
              <span className={state === "denied" ? "bad" : "good"}>{stateWords[state]}</span>
              <code>{forConsent(what)}</code>
              <span className="dim">
                <a href={toSession(of)}>{forConsent(sessionTitle)}</a>, {by === "" ? "" : `${forConsent(by)}, `}
                {ago(time, now)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {allowed + denied > examples.length && <p className="dim">And {allowed + denied - examples.length} more.</p>}
    </section>
  )
}

function summary({ compared, allowed, denied }: Coverage, where: string): string {
  if (compared === 0) return `Nothing was decided ${where} before.`
  const all = `the last ${counted(compared, "decision")} ${where}`
  const covered = allowed + denied
  if (covered === 0) return `It would have answered none of ${all}.`
  return `It would have answered ${covered === compared && covered > 1 ? "all" : covered} of ${all}.`
}
