/** What earlier runs left: prompts, how often what was used, and whether prompts to try would still help. */

import { preceded } from "./editor/history.ts"
import type { TuiState } from "./state.ts"
import { firstPromptUse, type UsesPort } from "./uses.ts"

export interface HistoryPort {
  /** Oldest first. */
  readonly load: () => Promise<readonly string[]>
  readonly add: (line: string) => void
}

interface RecallPorts {
  readonly history?: HistoryPort
  readonly uses?: UsesPort
  readonly examples?: () => Promise<readonly string[]>
}

type Change = (next: (state: TuiState) => TuiState) => void

/** Whoever has begun this many conversations needs no examples. */
const newcomersPrompts = 5

export async function recall(ports: RecallPorts, change: Change, signal: AbortSignal): Promise<void> {
  await Promise.all([recallHistory(ports, change, signal), recallUses(ports, change, signal)])
}

async function recallHistory({ history }: RecallPorts, change: Change, signal: AbortSignal): Promise<void> {
  const lines = await history?.load()
  if (lines === undefined || lines.length === 0 || signal.aborted) return
  change((state) => {
    const said = new Set(state.editor.history.entries)
    const before = lines.filter((line) => !said.has(line))
    return { ...state, editor: { ...state.editor, history: preceded(state.editor.history, before) } }
  })
}

async function recallUses(ports: RecallPorts, change: Change, signal: AbortSignal): Promise<void> {
  const uses = await ports.uses?.load()
  if (uses === undefined || signal.aborted) return
  const isNewcomer = (uses.get(firstPromptUse) ?? 0) < newcomersPrompts
  const examples = isNewcomer ? await ports.examples?.() : undefined
  if (!signal.aborted) change((state) => ({ ...state, uses, examples: examples ?? [] }))
}
