/** The simulator's Gemini stream is one that Google's older clients read: data and nothing else, to the last byte. */

import { expect, test } from "bun:test"
import { openSimulator } from "#sim/server.ts"

test("a stream has no comments, which those clients take for the rest of an event", async () => {
  const opened = await openSimulator({
    strict: false,
    scenario: { replies: [{ content: [{ text: "Hello there." }, { tool: "look", input: { at: "a" } }] }] },
  })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, close } = opened.value
  const response = await fetch(`${url}/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-goog-api-key": "none" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hello" }] }] }),
  })
  const text = await response.text()
  await close()
  expect(text).toContain("functionCall")
  expect(text.replaceAll(/data: .*\n\n/g, "")).toBe("")
})
