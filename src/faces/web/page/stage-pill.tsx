/** A stage in a word and, if it means something, a colour. */

import type { ReactNode } from "react"
import type { ShownSession } from "./contract.ts"
import { stageWords } from "./words.ts"

export function StagePill({ session: { stage, stuck } }: { readonly session: ShownSession }): ReactNode {
  const { name, tone } = stuck === undefined ? stageWords[stage] : ({ name: "No worker", tone: "failed" } as const)
  return <span className={`pill ${tone}`}>{name}</span>
}
