/** What a face may ask to see of a session besides what happens: the past, what was sent, and the way back. */

import type { Entry } from "#agent/words/entry.ts"
import { type Branch, branches } from "#ground/transcript/path.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Checkpoints, RewindPoint, RewindPreview, TurnDiff, TurnSummary } from "#kits/checkpoints/checkpoints.ts"
import type { ContextParts } from "#kits/context/parts.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import type { Result } from "#lib/result.ts"
import { type InspectedRequest, inspect } from "./inspect.ts"
import type { MemoryFiles } from "./memory.ts"
import type { Past } from "./past.ts"

export interface Look {
  /** Every entry of the log, in its order. */
  readonly entries: () => readonly Entry[]
  /** Every request, as it was sent. */
  readonly requests: () => readonly InspectedRequest[]
  /** The prompts of this conversation that one can go back to, oldest first. */
  readonly points: () => Promise<Result<readonly RewindPoint[], string>>
  readonly preview: (promptId: string, signal: AbortSignal) => Promise<Result<RewindPreview, string>>
  /** The ways this conversation went, in the order of their last entries. */
  readonly branches: () => readonly Branch[]
  /** What the session changed, turn by turn. */
  readonly diff: () => Promise<Result<readonly TurnDiff[], string>>
  /** What the last turn changed. */
  readonly summary: () => Promise<Result<TurnSummary, string>>
  readonly plan: () => { readonly path: string; readonly text: string | undefined } | undefined
  /** Commands that run in the background. */
  readonly background: () => readonly { readonly id: string; readonly command: string }[]
  /** What fills the window. */
  readonly context: () => ContextParts
  readonly memory: MemoryFiles
}

export function openLook(parts: {
  readonly past: Past
  readonly checkpoints: Checkpoints
  readonly plan: PlanKit
  readonly workspace: Workspace
  readonly context: () => ContextParts
  readonly memory: MemoryFiles
}): Look {
  const { past, checkpoints, plan, workspace } = parts
  return {
    context: parts.context,
    memory: parts.memory,
    entries: past.entries,
    requests: () => inspect(past.entries()),
    points: () => checkpoints.points(past.entries(), past.path()),
    preview: (promptId, signal) => checkpoints.preview({ log: past.entries(), promptId, signal }),
    branches: () => branches(past.entries()),
    diff: () => checkpoints.diff(past.entries()),
    summary: () => checkpoints.summary(past.entries()),
    plan() {
      const named = plan.plan()
      return named && { path: named.path, text: plan.text() }
    },
    background: () =>
      workspace.background.list().flatMap(({ id, status, command }) => (status === "running" ? [{ id, command }] : [])),
  }
}
