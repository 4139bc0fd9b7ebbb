/** Chat Completions, as many servers speak it. */

import type { OpenFormat } from "#ground/models/format.ts"
import { openChatDecoder } from "./decode.ts"
import { openChatEncoder } from "./request.ts"

export const openChatFormat: OpenFormat = (dialect, { toolIds, messageIds }) => ({
  ...openChatEncoder(dialect, toolIds.note),
  openDecoder: (request) => openChatDecoder({ by: dialect.name, toolIds, messageIds }, request),
})
