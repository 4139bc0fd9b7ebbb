/** Which sessions are looked for, as the address says it: a filter is a link. */

import { type SessionStage, stages } from "#agent/words/stage.ts"

export interface SessionFilter {
  readonly search?: string
  readonly by?: string
  readonly place?: string
  readonly model?: string
  readonly stage?: SessionStage
}

const names = ["search", "by", "place", "model"] as const

export function filterOf(query: string): SessionFilter {
  const params = new URLSearchParams(query)
  const texts = names.flatMap((name) => {
    const text = params.get(name)?.trim() ?? ""
    return text === "" ? [] : [[name, text.slice(0, 4_000)] as const]
  })
  const stage = stages.find((each) => each === params.get("stage"))
  return { ...Object.fromEntries(texts), ...(stage && { stage }) }
}

/** As in an address, and as the server takes it. */
export function queryOf(filter: SessionFilter): string {
  const all = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "")
  return new URLSearchParams(Object.fromEntries(all)).toString()
}

export function toSessions(filter: SessionFilter): string {
  const query = queryOf(filter)
  return query === "" ? "#/sessions" : `#/sessions?${query}`
}

export const isFiltered = (filter: SessionFilter): boolean => Object.keys(filter).length > 0
