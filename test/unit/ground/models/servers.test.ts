/** Which wire format a known server is asked in. */

import { expect, test } from "bun:test"
import { kindAt, knownServers } from "#ground/models/servers.ts"

test("OpenAI speaks Responses at its own hosts, and Chat Completions wherever else its name leads", () => {
  const { openai, "openai-chat": chat } = knownServers
  if (!openai || !chat) throw new Error("OpenAI is not known")
  for (const host of ["api.openai.com", "eu.api.openai.com", "mine.openai.azure.com"]) {
    expect(kindAt(openai, `https://${host}/v1`)).toBe("openai-responses")
    expect(kindAt(chat, `https://${host}/v1`)).toBe("openai-chat")
  }
  for (const url of ["http://127.0.0.1:4000/v1", "https://openai.com.example/v1", "https://notopenai.com/v1"])
    expect(kindAt(openai, url)).toBe("openai-chat")
})
