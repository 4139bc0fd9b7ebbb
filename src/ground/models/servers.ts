/** Providers that are known by name, as data: where each is, what it speaks, and how it differs. */

import type { ServerDialect } from "./dialect.ts"
import type { FormatName } from "./formats.ts"

export interface KnownServer {
  /** For messages. */
  readonly who: string
  /** `openai-chat` when absent. */
  readonly kind?: FormatName
  /** What is spoken at another address than the provider's own. */
  readonly elsewhere?: FormatName
  /** Another way to the server of this name; the two share a key, and one of them is enough in a list. */
  readonly variantOf?: string
  readonly baseUrl: string
  /** The variables that have its key; a server on this machine needs none. */
  readonly keys: readonly string[]
  /** The page where its users make keys. */
  readonly keysAt?: string
  /** The path that answers only to a good key, where the list of models answers to everybody. */
  readonly keyPath?: string
  /** Whether a key can be had by signing in with a browser, in the way of OpenRouter. */
  readonly signsIn?: true
  /** The variable that has another address. */
  readonly address?: string
  /** How that address becomes a base URL, where the variable has another form. */
  readonly baseUrlOf?: (address: string) => string
  readonly dialect: Pick<ServerDialect, "limit" | "effort" | "caching" | "callIds">
  /** What to assume of its models. */
  readonly usual: {
    readonly window: number
    readonly maxOutput: number
    readonly images?: true
    readonly documents?: true
  }
}

const hosted = { window: 128_000, maxOutput: 16_000 }
/** Models on one's own machine are opened with less than they could take. */
const local = { window: 32_000, maxOutput: 8_000 }

const openAi: KnownServer = {
  who: "OpenAI",
  baseUrl: "https://api.openai.com/v1",
  keys: ["OPENAI_API_KEY"],
  keysAt: "https://platform.openai.com/api-keys",
  address: "OPENAI_BASE_URL",
  dialect: { limit: "max_completion_tokens", effort: "reasoning_effort" },
  usual: { ...hosted, images: true, documents: true },
}

/** As published by each on 2026-11-17. */
export const knownServers: { readonly [name: string]: KnownServer } = {
  openai: { ...openAi, kind: "openai-responses", elsewhere: "openai-chat" },
  "openai-chat": { ...openAi, variantOf: "openai" },
  openrouter: {
    who: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keys: ["OPENROUTER_API_KEY"],
    keysAt: "https://openrouter.ai/settings/keys",
    keyPath: "/key",
    signsIn: true,
    dialect: { effort: "reasoning", caching: "marks" },
    usual: { ...hosted, images: true, documents: true },
  },
  gemini: {
    who: "Google",
    kind: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keysAt: "https://aistudio.google.com/apikey",
    address: "GOOGLE_GEMINI_BASE_URL",
    baseUrlOf: geminiAddress,
    dialect: {},
    usual: { window: 1_048_576, maxOutput: 65_536, images: true, documents: true },
  },
  groq: {
    who: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keys: ["GROQ_API_KEY"],
    keysAt: "https://console.groq.com/keys",
    dialect: { limit: "max_completion_tokens", effort: "reasoning_effort" },
    usual: hosted,
  },
  deepseek: {
    who: "DeepSeek",
    baseUrl: "https://api.deepseek.com/v1",
    keys: ["DEEPSEEK_API_KEY"],
    keysAt: "https://platform.deepseek.com/api_keys",
    dialect: { effort: "reasoning_effort" },
    usual: { window: 128_000, maxOutput: 8_000 },
  },
  mistral: {
    who: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keys: ["MISTRAL_API_KEY"],
    keysAt: "https://console.mistral.ai/api-keys",
    dialect: { callIds: "short", effort: "reasoning_effort" },
    usual: hosted,
  },
  xai: {
    who: "xAI",
    baseUrl: "https://api.x.ai/v1",
    keys: ["XAI_API_KEY"],
    keysAt: "https://console.x.ai",
    dialect: { effort: "reasoning_effort" },
    usual: { ...hosted, images: true },
  },
  together: {
    who: "Together",
    baseUrl: "https://api.together.xyz/v1",
    keys: ["TOGETHER_API_KEY"],
    keysAt: "https://api.together.ai/settings/api-keys",
    dialect: { effort: "reasoning_effort" },
    usual: hosted,
  },
  ollama: {
    who: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keys: [],
    address: "OLLAMA_HOST",
    baseUrlOf: ollamaAddress,
    dialect: {},
    usual: local,
  },
  lmstudio: { who: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1", keys: [], dialect: {}, usual: local },
  llamacpp: { who: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1", keys: [], dialect: {}, usual: local },
  vllm: { who: "vLLM", baseUrl: "http://127.0.0.1:8000/v1", keys: [], dialect: {}, usual: local },
}

/** Most servers that stand in for OpenAI speak Chat Completions only, so Responses is for its own hosts. */
export function kindAt({ kind = "openai-chat", elsewhere }: KnownServer, baseUrl: string): FormatName {
  const isOwn = /(?:^|\.)openai\.(?:com|azure\.com)$/.test(new URL(baseUrl).hostname)
  return isOwn ? kind : (elsewhere ?? kind)
}

/** `OLLAMA_HOST` may be a host, a port, or an address without the path of the API. */
function ollamaAddress(host: string): string {
  const written = host.trim().replace(/\/+$/, "")
  const url = /^https?:\/\//i.test(written)
    ? written
    : `http://${written.startsWith(":") ? `127.0.0.1${written}` : written}`
  const hasPort = /^https?:\/\/[^/]*:\d+/i.test(url) || /^https:/i.test(url)
  const [, origin = url, path = ""] = /^(https?:\/\/[^/]+)(\/.*)?$/i.exec(url) ?? []
  const reachable = origin.replace(/\/\/0\.0\.0\.0(?=:|$)/, "//127.0.0.1")
  return `${hasPort ? reachable : `${reachable}:11434`}${path === "" ? "/v1" : path}`
}

/** `GOOGLE_GEMINI_BASE_URL` has no version of the API in it, as Google's own clients read it. */
function geminiAddress(address: string): string {
  const written = address.trim().replace(/\/+$/, "")
  return /\/v\d\w*$/.test(written) ? written : `${written}/v1beta`
}
