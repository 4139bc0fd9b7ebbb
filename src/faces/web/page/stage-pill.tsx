/** A stage in a word and, if it means something, a colour. */

import type { ReactNode } from "react"
import type { ShownSession } from "./contract.ts"
import { stageWords } from "./words.ts"

export function StagePill({ session }: { readonly session: ShownSession }): ReactNode {
  const { name, tone } = wordsOf(session)
  return <span className={`pill ${tone}`}>{name}</span>
}

function wordsOf({ stage, stuck, queued }: ShownSession): { readonly name: string; readonly tone: string } {
  if (stuck !== undefined) return { name: "No worker", tone: "failed" }
  return queued === undefined ? stageWords[stage] : { name: "Queued", tone: "" }
}
