/** Claude on Amazon Bedrock as the simulator serves it: signed requests, and answers as an event stream. */

import type { JsonObject } from "#lib/json.ts"
import { type ErrorAnswer, jsonAnswer } from "#sim/answer.ts"
import { messagesWire } from "#sim/anthropic.ts"
import { refuse } from "#sim/refusal.ts"
import { decodeRequest } from "#sim/request.ts"
import type { StreamPiece } from "#sim/spoken.ts"
import type { SimWire } from "#sim/wire.ts"
import { signatureFault, type SignedRequest } from "./aws-signature.ts"
import { frame } from "./frames.ts"
import { checkFieldsOf, plainModel } from "./in-path.ts"

export interface BedrockCall extends SignedRequest {
  readonly now: number
}

/** Undefined for a path that is not Bedrock's. */
export function bedrockWire(call: BedrockCall): SimWire | undefined {
  const [, model, action] = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(call.path) ?? []
  if (call.method !== "POST" || model === undefined) return undefined
  const stream = action === "invoke-with-response-stream"
  return {
    ...messagesWire,
    checkHeaders: () => checkAuthorization(call),
    decode: (body) => ({ ...decodeRequest(inMessages(body, decodeURIComponent(model), stream)), sent: body }),
    checkBody(request, segments, asked) {
      const { sent = {} } = request
      const wrong =
        checkFieldsOf(sent, { version: "bedrock-2023-05-31", refused: ["model", "stream"] }) ??
        (call.headers["anthropic-version"] === undefined ? undefined : refuse("anthropic-version", "not a header here"))
      if (wrong !== undefined) return { status: 400, type: "invalid_request_error", message: wrong }
      const headers = { ...asked.headers, "anthropic-beta": [sent["anthropic_beta"] ?? []].flat().join(",") }
      return messagesWire.checkBody(request, segments, { ...asked, headers })
    },
    streams: { contentType: "application/vnd.amazon.eventstream", binary: true },
    stream: (spoken, request) => messagesWire.stream(spoken, request).map(framed),
    error: refusal,
    odd: {
      ping: framed(messagesWire.odd.ping),
      malformed: framed(messagesWire.odd.malformed),
      unknown: { event: "weather_report", bytes: frame(headersOf("weatherReport"), "{}"), tokens: 0 },
      error: (_type, message) => ({
        event: "error",
        bytes: frame(
          {
            ":exception-type": "serviceUnavailableException",
            ":content-type": "application/json",
            ":message-type": "exception",
          },
          JSON.stringify({ message }),
        ),
        tokens: 0,
      }),
    },
  }
}

/** As if it were sent to Anthropic. */
function inMessages(
  { anthropic_version: _version, anthropic_beta: _betas, ...body }: JsonObject,
  model: string,
  stream: boolean,
): JsonObject {
  return { ...body, model: plainModel(model), stream }
}

const headersOf = (event: string): { readonly [name: string]: string } => ({
  ":event-type": event,
  ":content-type": "application/json",
  ":message-type": "event",
})

/** What is the data of an event elsewhere is encoded once more here, beside filler that hides its length. */
function framed(piece: StreamPiece): StreamPiece {
  const data = /^data: (.*)$/m.exec(piece.bytes)?.[1] ?? ""
  const payload = JSON.stringify({ bytes: Buffer.from(data).toString("base64"), p: "abcdefghijk" })
  return { ...piece, bytes: frame(headersOf("chunk"), payload) }
}

function checkAuthorization(call: BedrockCall): ErrorAnswer | undefined {
  if (/^Bearer \S/.test(call.headers.authorization ?? "")) return undefined
  const fault = signatureFault(call, { service: "bedrock", now: call.now })
  return fault && { status: 401, type: "authentication_error", message: `The signature is not valid: ${fault}.` }
}

/** What AWS calls each kind of error, and its status where that is another one. */
const names: { readonly [type: string]: readonly [name: string, status?: number] } = {
  invalid_request_error: ["ValidationException"],
  authentication_error: ["UnrecognizedClientException", 403],
  rate_limit_error: ["ThrottlingException"],
  overloaded_error: ["ServiceUnavailableException", 503],
  not_found_error: ["ResourceNotFoundException"],
  request_too_large: ["ValidationException"],
}

const refusal: SimWire["error"] = ({ type, message, headers, ...error }, requestId) => {
  const [name, status = error.status] = names[type] ?? ["InternalServerException"]
  return jsonAnswer(
    status,
    { message },
    {
      ...headers,
      "x-amzn-requestid": requestId,
      "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    },
  )
}
