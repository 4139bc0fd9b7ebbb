/** The wire formats that servers speak. Each is loaded when a model of such a server is used. */

import type { KeyHeader } from "./credential.ts"
import type { OpenFormat } from "./format.ts"

export type LoadFormat = () => Promise<OpenFormat>

export const formatNames = ["openai-chat", "openai-responses", "gemini"] as const

export type FormatName = (typeof formatNames)[number]

export const formats: { readonly [name in FormatName]: LoadFormat } = {
  "openai-chat": async () => (await import("./openai-chat/format.ts")).openChatFormat,
  "openai-responses": async () => (await import("./openai-responses/format.ts")).openResponsesFormat,
  gemini: async () => (await import("./gemini/format.ts")).openGeminiFormat,
}

/** Where servers of this format read the key. */
export const keyHeaderOf = (name: FormatName): KeyHeader => (name === "gemini" ? "x-goog-api-key" : "authorization")
