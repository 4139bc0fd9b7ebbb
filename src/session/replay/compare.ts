/** Where two runs of one conversation differ: block by block of what was sent, then result by result. */

import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import { pathTo } from "#ground/transcript/path.ts"
import { type InspectedRequest, requestsIn } from "#session/request/inspect.ts"

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
  const results = resultsIn(original)
  return {
    requests: original.filter(({ kind }) => kind === "request").length,
    results: results.size,
    first:
      firstRequest(requestsOf(original), requestsOf(replayed), restored) ??
      firstResult(results, resultsIn(replayed), restored),
  }
}

/** One at a time: each has everything that was said before it. */
const requestsOf = (entries: readonly Entry[]): Iterator<InspectedRequest> =>
  requestsIn({ entries, pathTo: (uuid) => pathTo(entries, uuid) })

function firstRequest(
  before: Iterator<InspectedRequest>,
  after: Iterator<InspectedRequest>,
  restored: (text: string) => string,
): Divergence | undefined {
  for (let at = 0; ; at++) {
    const was = before.next().value
    const is = after.next().value
    if (!was && !is) return undefined
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
}

const resultsIn = (entries: readonly Entry[]): ReadonlyMap<string, Entry & { readonly kind: "result" }> =>
  new Map(entries.flatMap((entry) => (entry.kind === "result" ? [[entry.callId, entry] as const] : [])))

function firstResult(
  before: ReturnType<typeof resultsIn>,
  after: ReturnType<typeof resultsIn>,
  restored: (text: string) => string,
): Divergence | undefined {
  for (const [callId, { tool, content }] of before) {
    const [was, found] = [textOf(content), after.get(callId)]
    const is = found && restored(textOf(found.content))
    if (is !== was) return { where: `result of ${tool}`, was, is: is ?? "(nothing)" }
  }
  return undefined
}
