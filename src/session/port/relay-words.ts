/** What crosses between the process that has a session open and a face in another one: each message with the number of what it belongs to. */

import type { Cursor, Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { Query } from "./query.ts"
import type { OpFailure } from "./session.ts"

export type ToHolder =
  | { readonly type: "submit"; readonly number: number; readonly op: Op }
  | { readonly type: "ask"; readonly number: number; readonly query: Query }
  /** Nobody waits for the answer any more. */
  | { readonly type: "cancel"; readonly number: number }
  | { readonly type: "events"; readonly number: number; readonly after: Cursor | "beginning" | "now" }
  /** Nobody reads those events any more. */
  | { readonly type: "leave"; readonly number: number }
  /** The face is an editor: files are as it has them. */
  | { readonly type: "has_files"; readonly writes: boolean }
  /** What came of reading or writing a file there; nothing if the editor cannot tell, or did not take it. */
  | { readonly type: "file"; readonly number: number; readonly text?: string; readonly taken?: boolean }

export type ToFace =
  /** The first message. Only a face of the same version understands the rest. */
  | { readonly type: "hello"; readonly id: string; readonly version: string; readonly pid: number }
  | { readonly type: "submitted"; readonly number: number; readonly done: Result<void, OpFailure> }
  | { readonly type: "answer"; readonly number: number; readonly answer: unknown }
  | { readonly type: "refused"; readonly number: number; readonly why: string }
  | { readonly type: "event"; readonly number: number; readonly event: Event }
  | { readonly type: "end"; readonly number: number }
  | { readonly type: "read_file"; readonly number: number; readonly path: string }
  | { readonly type: "write_file"; readonly number: number; readonly path: string; readonly text: string }

/** Both ends are this program in the same version, run by one user; the system has said so. */
export const decodeToHolder = (message: JsonObject): ToHolder => message as unknown as ToHolder
export const decodeToFace = (message: JsonObject): ToFace => message as unknown as ToFace
