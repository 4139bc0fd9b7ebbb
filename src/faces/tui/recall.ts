/** What earlier runs left: prompts, how often what was used, and whether prompts to try would still help. */

import { preceded } from "./editor/history.ts"
import type { TuiState } from "./state.ts"
import { firstPromptUse, taughtActions, type UsesPort } from "./uses.ts"

export interface HistoryPort {
  /** Oldest first. */
  readonly load: () => Promise<readonly string[]>
  readonly add: (line: string) => void
}

interface RecallPorts {
  readonly history?: HistoryPort
  readonly uses?: UsesPort
  readonly tips?: "off"
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
  // Whoever wants no hints knows the keys.
  const known = new Map([
    ...(ports.tips === "off" ? [...taughtActions].map((name) => [name, 0] as const) : []),
    ...uses,
  ])
  if (!signal.aborted) change((state) => ({ ...state, uses: known, examples: examples ?? [] }))
}
