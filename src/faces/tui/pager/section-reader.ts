/** Reads sections of a conversation from the log: the newest, which the session itself has in memory, is the number 0; those before it are -1, -2 and so on. */

import type { Entry } from "#agent/words/entry.ts"
import type { Cursor, Event } from "#agent/words/event.ts"
import { isFinished, type Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished, type View } from "#faces/view/view.ts"
import type { Answers } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { Whole } from "./whole.ts"

export interface SectionReader {
  /** The number of the first section; undefined until the log has been looked at. */
  readonly first: () => number | undefined
  /** The same, after looking. */
  readonly findFirst: () => Promise<number>
  /** The items of a section, which are not kept. */
  readonly sectionItems: (section: number) => Promise<readonly Item[]>
  /** How much of the log is before a place in a section, from 0 to 1; undefined where all of it is in memory. */
  readonly share: (section: number, part: number) => number | undefined
}

export interface SectionSource {
  readonly session: Pick<SessionPort, "events" | "ask">
  readonly recent: Cursor | "beginning"
  readonly newest: Whole
  /** The last entry that has happened. */
  readonly last: () => Cursor | undefined
}

export function openSectionReader({ session, recent, newest, last }: SectionSource): SectionReader {
  let known: Answers["log_parts"] | undefined = recent === "beginning" ? { parts: [], rest: 0 } : undefined

  async function findFirst(): Promise<number> {
    known ??= await session.ask({ type: "log_parts", before: recent })
    return -known.parts.length
  }

  return {
    first: () => known && -known.parts.length,
    findFirst,
    async sectionItems(section) {
      if (section === 0) return newest.items()
      const at = section - (await findFirst())
      const [part, next] = known?.parts.slice(at, at + 2) ?? []
      if (part === undefined) return []
      const until = next ? { last: next.after } : { before: recent.replace(/^@/, "") }
      return itemsBetween(session.events(part.after), until, last)
    },
    share(section, part) {
      if (known === undefined || known.parts.length === 0) return undefined
      const sizes = [...known.parts.map(({ bytes }) => bytes), known.rest]
      const sum = (of: readonly number[]): number => of.reduce((total, bytes) => total + bytes, 0)
      const at = section + known.parts.length
      return (sum(sizes.slice(0, at)) + part * (sizes[at] ?? 0)) / Math.max(1, sum(sizes))
    },
  }
}

/** `last` is still part of it, `before` is not. Calls that are open at the end get their results from what follows. */
async function itemsBetween(
  events: AsyncIterable<Event>,
  until: { readonly last: Cursor } | { readonly before: Cursor },
  lastOfAll: () => Cursor | undefined,
): Promise<readonly Item[]> {
  const done: Item[] = []
  let view: View = emptyView
  let isPast = false
  for await (const event of events) {
    if (event.type === "unknown_cursor") throw new Error(`the log has no ${event.unknown}`)
    if (event.type !== "entry") continue
    isPast ||= "before" in until && event.cursor === until.before
    if (isPast && endsCalls.includes(event.entry.kind)) break
    if (!isPast || event.entry.kind === "result") {
      const taken = splitFinished(reduce(view, event))
      done.push(...taken.finished)
      view = taken.view
    }
    isPast ||= "last" in until && event.cursor === until.last
    if (isPast && (!view.items.some(isOpenCall) || event.cursor === lastOfAll())) break
  }
  return [...done, ...view.items]
}

/** Before these every call has its result. */
const endsCalls: readonly Entry["kind"][] = ["request", "turn_start", "turn_end"]

const isOpenCall = (item: Item): boolean => item.kind === "call" && !isFinished(item)
