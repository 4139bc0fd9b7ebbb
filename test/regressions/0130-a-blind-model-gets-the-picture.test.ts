/** After a model that sees pictures, one of the same provider that does not was sent the bytes kept for the first. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import { formats } from "#ground/models/formats.ts"
import { openModels } from "#ground/models/router.ts"
import { serverProvider } from "#ground/models/server-provider.ts"
import { systemClock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { openSimulator } from "#sim/server.ts"

test("each model gets what it takes, whichever was asked before", async () => {
  const opened = await openSimulator()
  if (!opened.ok) throw new Error(opened.failure.message)
  await using simulator = { ...opened.value, [Symbol.asyncDispose]: opened.value.close }
  const provider = serverProvider({
    name: "local",
    who: "The server",
    format: formats["openai-chat"],
    baseUrl: `${simulator.url}/v1`,
    apiKey: "test",
    keyHeader: "authorization",
    models: { seeing: { images: true }, blind: { images: false } },
    usual: { window: 100_000, maxOutput: 8_000 },
    keyWords: () => ({ which: "The key", advice: "" }),
  })
  const models = openModels([provider], { clock: systemClock, ids: seededIds(1) })
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }] },
  ]
  for (const name of ["seeing", "blind", "seeing"])
    await Array.fromAsync(
      models.stream(
        {
          model: `local/${name}`,
          system: [],
          tools: [],
          messages,
          maxTokens: 1_000,
          thinking: { type: "auto" },
          delivery: "stream",
          repeat: 0,
        },
        new AbortController().signal,
      ),
    )
  models.close()
  const sent = simulator.requests.map(({ body }) => JSON.stringify(body).includes("image_url"))
  expect(sent).toEqual([true, false, true])
})
