/** The built-in simulator as a provider: it speaks the Messages API, costs nothing, and is started when needed. */

import { ok, type Result } from "#lib/result.ts"
import { type ClaudeFacts, claudeFacts } from "./anthropic/releases.ts"
import { openMessages } from "./anthropic/messages.ts"
import { isSimulated } from "./model-id.ts"
import { lazyPort } from "./lazy-port.ts"
import type { Provider } from "./provider.ts"

export const simulatorName = "sim"

/** Called once; resolves with its address. */
export type StartSimulator = () => Promise<Result<{ readonly url: string }, string>>

export function simulatedProvider(start: StartSimulator, options: { readonly deferral?: "never" } = {}): Provider {
  const dialect = { name: simulatorName, idOf: (model: string) => model, factsOf: simulatedFacts, ...options }
  return {
    name: simulatorName,
    owns: isSimulated,
    facts: simulatedFacts,
    price: () => free,
    models: [simulatorName],
    open: (parts) =>
      lazyPort(async () => {
        const started = await start()
        if (!started.ok) return started
        return ok(openMessages({ baseUrl: started.value.url, apiKey: "no-key", voice }, dialect, parts))
      }, false),
  }
}

/** It plays any model, but cannot search the web. */
export const simulatedFacts = (model: string): ClaudeFacts => ({
  ...claudeFacts(model),
  provider: simulatorName,
  searchesWeb: false,
  defersTools: true,
})

const voice = { who: "The simulator", key: () => ({ which: "The simulator's own key", advice: "" }) }

const free = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0, webSearch: 0 }
