/** Where two runs of one conversation differ: block by block of what was sent, then result by result. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import { inspect, type InspectedRequest } from "#session/request/inspect.ts"

/** A path in the replay, and its counterpart in the original. */
export type Substitution = readonly [replayed: string, original: string]

export interface Divergence {
  /** `request 3, result of Bash`. */
  readonly where: string
  readonly was: string
  readonly is: string
}

export interface Comparison {
  readonly requests: number
  readonly results: number
  readonly first: Divergence | undefined
}

export function compareRuns(
  original: readonly Entry[],
  replayed: readonly Entry[],
  substitutions: readonly Substitution[],
): Comparison {
  const restored = (text: string): string => substitutions.reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
  const before = inspect(original)
  const after = inspect(replayed)
  const results = resultsIn(original)
  return {
    requests: before.length,
    results: results.size,
    first: firstRequest(before, after, restored) ?? firstResult(results, resultsIn(replayed), restored),
  }
}

function firstRequest(
  before: readonly InspectedRequest[],
  after: readonly InspectedRequest[],
  restored: (text: string) => string,
): Divergence | undefined {
  for (let at = 0; at < Math.max(before.length, after.length); at++) {
    const was = before[at]
    const is = after[at]
    if (!was || !is)
      return { where: `request ${at + 1}`, was: was ? "was sent" : "was not sent", is: is ? "is sent" : "is not sent" }
    for (let index = 0; index < Math.max(was.blocks.length, is.blocks.length); index++) {
      const left = was.blocks[index]
      const right = is.blocks[index]
      const text = right && restored(right.text)
      if (left?.text === text && left?.role === right?.role) continue
      const source = left?.source ?? right?.source ?? "a block"
      return { where: `request ${at + 1}, ${source}`, was: left?.text ?? "(nothing)", is: text ?? "(nothing)" }
    }
  }
  return undefined
}

const resultsIn = (entries: readonly Entry[]): ReadonlyMap<string, { readonly tool: string; readonly text: string }> =>
  new Map(
    entries.flatMap((entry) =>
      entry.kind === "result" ? [[entry.callId, { tool: entry.tool, text: textOf(entry.content) }] as const] : [],
    ),
  )

function firstResult(
  before: ReturnType<typeof resultsIn>,
  after: ReturnType<typeof resultsIn>,
  restored: (text: string) => string,
): Divergence | undefined {
  for (const [callId, { tool, text }] of before) {
    const is = after.get(callId)
    if (is && restored(is.text) === text) continue
    return { where: `result of ${tool}`, was: text, is: is ? restored(is.text) : "(nothing)" }
  }
  return undefined
}
