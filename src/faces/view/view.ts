/** What a face shows of a session, as one value. */

import type { ChoreName } from "#agent/words/event.ts"
import type { Goal } from "#agent/words/goal.ts"
import type { Loop } from "#agent/words/loop.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Question } from "#agent/words/question.ts"
import type { Retry } from "#agent/words/model.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { ChangedFiles } from "./changed.ts"
import { isFinished, type Item } from "./item.ts"

export interface Working {
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Of the time since then. */
  readonly waitedMs: number
  /** Since when a question is open. */
  readonly askedAt: number | undefined
  /** Characters received in this turn: an estimate of tokens until they are reported. */
  readonly received: number
  readonly outputTokens: number
  readonly costUsd: number
  readonly retry: Retry | undefined
  readonly files: ChangedFiles
  /** Titles of the calls that auto mode allowed in place of the user. */
  readonly auto: readonly string[]
}

export interface View {
  /** In order; finished ones leave by `takeFinished`. */
  readonly items: readonly Item[]
  readonly queue: readonly string[]
  readonly todos: readonly Todo[]
  /** Undefined unless it is open. */
  readonly goal: Goal | undefined
  /** The prompt that it repeats. */
  readonly loop: Loop | undefined
  /** Whether the list was written in this turn or the last; an older one may be about something else. */
  readonly todosAre: "current" | "old"
  readonly questions: readonly Question[]
  readonly working: Working | undefined
  /** Of the hooks that run now. */
  readonly hookStatus: readonly string[]
  /** Work outside a turn. */
  readonly chore: ChoreName | undefined
  readonly mode: PermissionMode | undefined
  readonly model: string | undefined
  readonly planPath: string | undefined
  /** The current block of the model's text, from its start. */
  readonly said: string
  /** Streamed blocks whose entries have not arrived yet. */
  readonly streamed: number
  readonly suggestion: string | undefined
}

export const emptyView: View = {
  items: [],
  queue: [],
  todos: [],
  goal: undefined,
  loop: undefined,
  todosAre: "current",
  questions: [],
  working: undefined,
  hookStatus: [],
  chore: undefined,
  mode: undefined,
  model: undefined,
  planPath: undefined,
  said: "",
  streamed: 0,
  suggestion: undefined,
}

export const isBusy = ({ working, chore }: View): boolean => working !== undefined || chore !== undefined

/** Takes finished items off the front. A run of read-only calls is taken as a whole. */
export function splitFinished(view: View): { readonly finished: readonly Item[]; readonly view: View } {
  const open = view.items.findIndex((item) => !isFinished(item))
  const count = runStart(view, open === -1 ? view.items.length : open)
  if (count === 0) return { finished: [], view }
  return { finished: view.items.slice(0, count), view: { ...view, items: view.items.slice(count) } }
}

/** The start of the run that ends just before `end` and may continue with it; `end` itself if there is none. */
function runStart({ items, working }: View, end: number): number {
  const next = items[end]
  const mayGoOn = next === undefined ? working !== undefined : next.kind === "thinking" || next.kind === "call"
  if (!mayGoOn || (next?.kind === "call" && next.state === "running" && next.gathers === undefined)) return end
  let start = end
  for (let at = end - 1; at >= 0; at--) {
    const item = items[at]
    if (item?.kind === "call" && item.gathers !== undefined) start = at
    else if (item?.kind !== "thinking") break
  }
  return start
}
