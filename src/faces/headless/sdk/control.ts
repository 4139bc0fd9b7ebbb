/** What a control request is to whoever carries it out. */

import { isObject, type JsonObject } from "#lib/json.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, type Result } from "#lib/result.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { ModeOverrides } from "./mode-overrides.ts"
import type { ClientRequests } from "./requests.ts"
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
  readonly introduction: (request: JsonObject) => Promise<object>
  /** A message that says what a command did. */
  readonly say: (text: string) => void
  readonly models: () => Promise<readonly ModelRow[]>
  readonly factsOf: (model: string) => ModelFacts
  readonly around: Around
  /** How much the model thought when the run began. */
  readonly began: Thinking
  /** The settings that the client has applied to this session. */
  readonly applied: Applied
  readonly clock: Clock
  /** When the run began, and how long requests to the model have taken since, in milliseconds. */
  readonly times: () => { readonly startedAt: number; readonly apiMs: number }
  /** The id behind a short name; the configured model for none. */
  readonly resolveModel: (name: string | undefined) => string
  /** Takes back a message that waits for its turn; whether it did. */
  readonly takeBack: (messageId: string) => boolean
  /** Whether the client asked at the start to be able to undo what files went through. */
  readonly rewinds: boolean
  readonly version: string
  /** Whether a turn is under way, or a message waits for one. */
  readonly isAtWork: () => boolean
  readonly overrides: ModeOverrides
  /** What the client was asked. */
  readonly requests: Pick<ClientRequests, "open">
}

export interface Applied {
  readonly now: () => JsonObject
  /** A key replaces what was said for it before, null takes it back. */
  readonly add: (settings: JsonObject) => void
}

export function openApplied(): Applied {
  let all: JsonObject = {}
  return {
    now: () => all,
    add: (settings) =>
      void (all = Object.fromEntries(Object.entries({ ...all, ...settings }).filter(([, value]) => value !== null))),
  }
}

/** The program around a session: settings files, and the files of the workspace by name. */
export interface Around {
  /** As they are written now. */
  readonly settings: () => Promise<Result<SettingsOverview, string>>
  /** What these would set, with the settings a client has applied in front of the files. */
  readonly merged: (settings: SettingsOverview, applied: JsonObject) => JsonObject
  /** Paths by a few of their letters; folders end with a slash. */
  readonly findFiles: (letters: string, signal: AbortSignal) => Promise<readonly string[]>
  /** Writes one setting into a file, unless this run does not read that file. */
  readonly save: (
    place: "local settings" | "user settings",
    key: string,
    value: string,
  ) => Promise<Result<void, string>>
}

export interface SettingsOverview {
  /** Strongest first, in our words, and with the defaults. */
  readonly layers: readonly { readonly name: string; readonly value: JsonObject }[]
  readonly problems: readonly { readonly file: string; readonly message: string }[]
  /** The folders that settings and flags add, with the strongest source of each. */
  readonly folders: readonly { readonly path: string; readonly source: string }[]
}

export const no = (error: string, code?: string): Result<never, ControlFailure> =>
  failed({ error, ...(code !== undefined && { code }) })

export const success = (request_id: string, response?: object): object => ({
  type: "control_response",
  response: { subtype: "success", request_id, ...(isObject(response) && { response }) },
})

/** The answer to `initialize`, with the questions that the client has not answered yet: it may have missed them. */
export const introducing = (request_id: string, response: object, { open }: Pick<ClientRequests, "open">): object => ({
  type: "control_response",
  response: {
    subtype: "success",
    request_id,
    response,
    pending_permission_requests: open("can_use_tool"),
    pending_user_dialog_requests: open("request_user_dialog"),
    pending_elicitation_requests: open("elicitation"),
  },
})

export const failure = (request_id: string, { error, code }: ControlFailure): object => ({
  type: "control_response",
  response: { subtype: "error", request_id, error, ...(code !== undefined && { error_code: code }) },
})
