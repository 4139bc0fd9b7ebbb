/** Claude on Google Vertex AI as the simulator serves it. */

import type { JsonObject } from "#lib/json.ts"
import { errorAnswer, jsonAnswer } from "#sim/answer.ts"
import { messagesWire } from "#sim/anthropic.ts"
import { refuse } from "#sim/refusal.ts"
import { decodeRequest } from "#sim/request.ts"
import type { Headers } from "#sim/strict.ts"
import type { SimWire } from "#sim/wire.ts"
import { checkFieldsOf, plainModel } from "./in-path.ts"

const place = /^\/v1\/projects\/[a-z][a-z0-9-]+\/locations\/[a-z0-9-]+\/publishers\/anthropic\/models\/([^/:]+):(\w+)$/

/** Undefined for a path that is not Vertex's. */
export function vertexWire(call: { readonly method: string; readonly path: string }): SimWire | undefined {
  const [, model, action] = place.exec(call.path) ?? []
  if (call.method !== "POST" || model === undefined || !/^(?:streamRawPredict|rawPredict)$/.test(action ?? ""))
    return undefined
  const stream = action === "streamRawPredict"
  return {
    ...messagesWire,
    checkHeaders: (headers) => (hasToken(headers) ? undefined : noToken),
    decode: (body) => ({ ...decodeRequest(inMessages(body, decodeURIComponent(model), stream)), sent: body }),
    checkBody(request, segments, asked) {
      const { sent = {} } = request
      const wrong =
        checkFieldsOf(sent, { version: "vertex-2023-10-16", refused: ["model", "anthropic_beta"] }) ??
        ((sent["stream"] ?? false) === stream ? undefined : refuse("stream", `must be ${stream} for ${action}`))
      return wrong === undefined
        ? messagesWire.checkBody(request, segments, asked)
        : { status: 400, type: "invalid_request_error", message: wrong }
    },
    // What Google itself refuses is in its own words; the rest is Anthropic's.
    error(error, requestId) {
      const status = googleStatus[error.status]
      if (status === undefined) return errorAnswer(error, requestId)
      const { message } = error
      return jsonAnswer(error.status, [{ error: { code: error.status, message, status } }], error.headers)
    },
  }
}

/** As if it were sent to Anthropic. */
function inMessages({ anthropic_version: _version, ...body }: JsonObject, model: string, stream: boolean): JsonObject {
  return { ...body, model: plainModel(model), stream }
}

const hasToken = ({ authorization, "x-api-key": key }: Headers): boolean =>
  key === undefined && /^Bearer \S/.test(authorization ?? "")

const noToken = {
  status: 401,
  type: "authentication_error",
  message: "Request had invalid authentication credentials. Expected OAuth 2 access token.",
} as const

const googleStatus: { readonly [status: number]: string } = {
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
}
