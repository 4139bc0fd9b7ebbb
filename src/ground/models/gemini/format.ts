/** The Gemini API of Google: `generateContent`, streamed or whole. */

import type { OpenFormat } from "#ground/models/format.ts"
import { openGeminiDecoder } from "./decode.ts"
import { openGeminiEncoder } from "./request.ts"

export const openGeminiFormat: OpenFormat = (dialect, { toolIds, messageIds }) => ({
  ...openGeminiEncoder(dialect, toolIds.note),
  openDecoder: (request) => openGeminiDecoder({ by: dialect.name, toolIds, messageIds }, request),
})
