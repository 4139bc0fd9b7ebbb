/** What a session is, and what can be done to it as a whole. */

import { type ReactNode, useState } from "react"
import { isOver } from "#agent/words/stage.ts"
import { modeNames } from "#agent/words/mode-names.ts"
import { costText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { type ApiResult, at, failureText, post, remove } from "./api.ts"
import type { ShownSession } from "./contract.ts"
import { toReview } from "./route.ts"
import { StagePill } from "./stage-pill.tsx"
import { placeName, placeText, stageWords } from "./words.ts"
import { Problem } from "./loading.tsx"

interface SessionHeadProps {
  readonly session: ShownSession
  /** By what its conversation says, which is sooner than the record. */
  readonly spentUsd: number
  readonly onChange: () => void
}

export function SessionHead({ session, spentUsd, onChange }: SessionHeadProps): ReactNode {
  const { id, title, stage, mode, model, worker, workspace } = session
  const costUsd = Math.max(session.costUsd, spentUsd)
  const [problem, setProblem] = useState("")
  const [isSure, setSure] = useState(false)
  const act = async (asked: Promise<ApiResult<unknown>>): Promise<void> => {
    const answered = await asked
    setSure(false)
    setProblem(answered.ok ? "" : failureText(answered.failure))
    onChange()
  }
  const mayAct = session.mayChange && !isOver(stage)
  return (
    <header className="session-head">
      <h1 title={forConsent(title)}>{forConsent(title)}</h1>
      <p className="facts">
        <StagePill session={session} />
        <span>{modeNames[mode] ?? forConsent(mode)}</span>
        {model !== "" && <span>{forConsent(model)}</span>}
        {costUsd > 0 && <span>{costText(costUsd)}</span>}
        <span title={forConsent(placeText(workspace))}>{forConsent(placeName(workspace))}</span>
        {!session.mayChange && <span>by {forConsent(session.createdBy)}</span>}
        <span>{workerWords(session)}</span>
      </p>
      <div className="buttons">
        <a href={toReview(id)} className="button">
          Changes
        </a>
      </div>
      {mayAct && (
        <div className="buttons">
          {worker && (
            <button type="button" onClick={() => void act(post(`/api/sessions/${at(id)}/interrupt`, {}))}>
              Interrupt
            </button>
          )}
          {isSure ? (
            <>
              <button type="button" className="danger" onClick={() => void act(remove(`/api/sessions/${at(id)}`))}>
                Cancel for good
              </button>
              <button type="button" className="quiet" onClick={() => setSure(false)}>
                Keep it
              </button>
            </>
          ) : (
            <button type="button" className="quiet" onClick={() => setSure(true)}>
              Cancel session
            </button>
          )}
        </div>
      )}
      <Problem text={problem} />
    </header>
  )
}

/** Nothing for a session that needs no worker now. */
function workerWords({ worker, stuck, stage }: ShownSession): string {
  if (worker) return `on ${forConsent(worker.host)}, pid ${worker.pid}`
  if (stuck !== undefined) return ""
  return stageWords[stage].tone === "works" ? "waits for a worker" : ""
}
