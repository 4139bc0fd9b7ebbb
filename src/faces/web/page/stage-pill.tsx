/** A stage in a word and, if it means something, a colour. */

import type { ReactNode } from "react"
import type { SessionStage } from "#agent/words/stage.ts"
import { stageWords } from "./words.ts"

export function StagePill({ stage }: { readonly stage: SessionStage }): ReactNode {
  const { name, tone } = stageWords[stage]
  return <span className={`pill ${tone}`}>{name}</span>
}
