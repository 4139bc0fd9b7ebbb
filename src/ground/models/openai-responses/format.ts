/** The Responses API of OpenAI, as a wire format. Nothing is stored at the provider: every request has the whole conversation. */

import type { OpenFormat } from "#ground/models/format.ts"
import { openResponsesDecoder } from "./decode.ts"
import { openResponsesEncoder } from "./request.ts"

export const openResponsesFormat: OpenFormat = (dialect, { toolIds, messageIds }) => ({
  ...openResponsesEncoder(dialect, toolIds.note),
  openDecoder: (request) => openResponsesDecoder({ by: dialect.name, toolIds, messageIds }, request),
})
