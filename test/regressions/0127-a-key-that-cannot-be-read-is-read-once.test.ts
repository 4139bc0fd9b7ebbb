/** A key helper that failed was run a second time at once, and its complaint was told twice. */

import { expect, test } from "bun:test"
import { failed } from "#lib/result.ts"
import { ask, openPort } from "../unit/ground/models/port.ts"

test("a key that cannot be read is read once, and said once", async () => {
  let runs = 0
  const readKey = async () => failed(`apiKeyHelper ended with code ${++runs}.`)
  const events = await ask(openPort("http://127.0.0.1:1", { provider: { readKey } }))
  expect(events).toEqual([
    {
      type: "error",
      failure: {
        kind: "unauthorized",
        message:
          "No key could be read: apiKeyHelper ended with code 1. Check the command in the setting apiKeyHelper, or remove it to use another key.",
      },
    },
  ])
})
