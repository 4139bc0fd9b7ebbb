/** What a control request is to whoever carries it out. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, type Result } from "#lib/result.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { Session } from "#session/port/session.ts"

export interface ControlFailure {
  readonly error: string
  readonly code?: string
}

/** The response; undefined for requests that are only acknowledged. */
export type Control = (
  request: JsonObject,
  parts: ControlParts,
  signal: AbortSignal,
) => Promise<Result<object | undefined, ControlFailure>>

export interface Controls {
  readonly [subtype: string]: Control
}

export interface ControlParts {
  readonly session: Session
  /** What the client was told at the start, as it is now. */
  readonly introduction: () => Promise<object>
  /** A message that says what a command did. */
  readonly say: (text: string) => void
  readonly models: () => Promise<readonly ModelRow[]>
  /** The id behind a short name; the configured model for none. */
  readonly resolveModel: (name: string | undefined) => string
  /** Takes back a message that waits for its turn; whether it did. */
  readonly takeBack: (messageId: string) => boolean
  /** Whether the client asked at the start to be able to undo what files went through. */
  readonly rewinds: boolean
  readonly version: string
}

export const no = (error: string, code?: string): Result<never, ControlFailure> =>
  failed({ error, ...(code !== undefined && { code }) })

export const success = (request_id: string, response?: object): object => ({
  type: "control_response",
  response: { subtype: "success", request_id, ...(isObject(response) && { response }) },
})

export const failure = (request_id: string, { error, code }: ControlFailure): object => ({
  type: "control_response",
  response: { subtype: "error", request_id, error, ...(code !== undefined && { error_code: code }) },
})
