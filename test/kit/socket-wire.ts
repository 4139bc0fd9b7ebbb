/** What crosses the socket, one JSON value a line, each with the number of what it belongs to. */

import type { Cursor, Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Result } from "#lib/result.ts"
import type { Query } from "#session/port/query.ts"
import type { OpFailure } from "#session/port/session.ts"

export type ToServer =
  | { readonly type: "submit"; readonly number: number; readonly op: Op }
  | { readonly type: "ask"; readonly number: number; readonly query: Query }
  /** Nobody waits for the answer any more. */
  | { readonly type: "cancel"; readonly number: number }
  | { readonly type: "events"; readonly number: number; readonly after: Cursor | "beginning" | "now" }

export type ToClient =
  | { readonly type: "hello"; readonly id: string }
  | { readonly type: "submitted"; readonly number: number; readonly done: Result<void, OpFailure> }
  | { readonly type: "answer"; readonly number: number; readonly answer: unknown }
  | { readonly type: "refused"; readonly number: number; readonly why: string }
  | { readonly type: "event"; readonly number: number; readonly event: Event }
  | { readonly type: "end"; readonly number: number }

/** Puts lines together from the pieces in which they come. */
export function openLines(take: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  let begun = ""
  return (bytes) => {
    const lines = (begun + decoder.decode(bytes, { stream: true })).split("\n")
    begun = lines.pop() ?? ""
    for (const line of lines) take(line)
  }
}
