/** The models that the simulator lists for the Gemini API. It answers for any other name too. */

import type { JsonObject } from "#lib/json.ts"

const names = ["gemini-4-argon", "gemini-3.8-flash", "gemini-3.1-pro-preview", "gemini-2.5-flash"]

export const listGeminiModels = (): JsonObject => ({ models: names.map(describe) })

export const findGeminiModel = (name: string): JsonObject | undefined =>
  names.includes(name) ? describe(name) : undefined

const describe = (name: string): JsonObject => ({
  name: `models/${name}`,
  version: "001",
  displayName: `${name} (simulated)`,
  description: "",
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ["generateContent", "countTokens"],
  thinking: true,
})
