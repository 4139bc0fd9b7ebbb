/** What requests used, in the shape of the Messages API, as clients declare it: every field is there. */

import type { Usage } from "#agent/words/model.ts"

export const sdkUsage = ({
  input_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
  output_tokens,
  web_search_requests = 0,
}: Usage): object => ({
  input_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
  output_tokens,
  server_tool_use: { web_search_requests, web_fetch_requests: 0 },
  service_tier: "standard",
  // The cache is only ever asked to keep things for five minutes.
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: cache_creation_input_tokens },
})
