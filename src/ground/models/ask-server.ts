/** Asks a provider's server for its models, which costs nothing: whether a key is good, and what there is to choose from. */

import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { KeyHeaders } from "./credential.ts"
import { networkWords } from "./network-words.ts"
import type { Certificate } from "./wire.ts"

export interface AskedServer {
  /** For messages. */
  readonly who: string
  /** The list of models, or a page that only answers to a good key. */
  readonly url: string
  readonly headers: KeyHeaders
  readonly certificate?: Certificate
  readonly fetch: KeyFetch
}

/** How requests are sent that are not to a model. */
export type KeyFetch = (url: string, init: BunFetchRequestInit) => Promise<Response>

/** `unknown`: it answered, which says nothing about the key. `unreachable`: it did not answer. The words are a sentence. */
export type KeyVerdict =
  | { readonly kind: "accepted" }
  | {
      readonly kind: "rejected" | "no_credit" | "wrong_address" | "unknown" | "unreachable"
      readonly message: string
    }

export async function checkKey(server: AskedServer, signal: AbortSignal): Promise<KeyVerdict> {
  const answer = await get(server, signal)
  if (!answer.ok) return { kind: "unreachable", message: answer.failure }
  return verdictOf(server, answer.value)
}

/** The ids of the models that can hold a conversation, as far as the server says which do. */
export async function listModels(server: AskedServer, signal: AbortSignal): Promise<Result<readonly string[], string>> {
  const answer = await get(server, signal)
  if (!answer.ok) return answer
  const verdict = verdictOf(server, answer.value)
  if (verdict.kind !== "accepted") return failed(verdict.message)
  const ids = answer.value.body && idsIn(answer.value.body)
  return ids ? ok(ids) : failed(noServer(server, answer.value.status))
}

interface ServerAnswer {
  readonly status: number
  /** Undefined unless it is a JSON object. */
  readonly body: JsonObject | undefined
}

/** Beyond this it is no list of models. */
const mostBytes = 16 * 1024 * 1024

async function get(
  { who, url, headers, certificate, fetch }: AskedServer,
  signal: AbortSignal,
): Promise<Result<ServerAnswer, string>> {
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json", "user-agent": "codewright", ...headers },
      signal,
      // A redirect would carry the key to wherever it points.
      redirect: "manual",
      ...(certificate && { tls: certificate }),
    })
    return ok({ status: response.status, body: objectIn(await boundedText(response)) })
  } catch (error) {
    const why = signal.aborted ? "no answer came in time" : networkWords(error)
    return failed(`${who} could not be reached: ${why}.`)
  }
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of response.body ?? []) {
    length += piece.length
    if (length > mostBytes) return ""
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

function verdictOf(server: AskedServer, { status, body }: ServerAnswer): KeyVerdict {
  const { who } = server
  const text = JSON.stringify(body ?? {})
  if (status === 402 || /insufficient[_ ](quota|balance|credit|fund)/i.test(text) || hasNoneLeft(body))
    return { kind: "no_credit", message: `${who} knows the key, but the account has no credit (${status}).` }
  if (status >= 200 && status < 300)
    return body ? { kind: "accepted" } : { kind: "wrong_address", message: noServer(server, status) }
  // Google and xAI refuse a key that they do not know as a bad request.
  const isRejected = status === 401 || status === 403 || (status === 400 && /api[ _-]?key/i.test(text))
  if (isRejected) return { kind: "rejected", message: `${who} rejected this key (${status}).` }
  if (status === 404 || status === 405 || (status >= 300 && status < 400))
    return { kind: "wrong_address", message: noServer(server, status) }
  return { kind: "unknown", message: `${who} could not check the key (${status}).` }
}

/** OpenRouter says of a key how much of its limit is left; null means that it has none. */
const hasNoneLeft = (body: JsonObject | undefined): boolean =>
  isObject(body?.data) && typeof body.data.limit_remaining === "number" && body.data.limit_remaining <= 0

const noServer = ({ url }: AskedServer, status: number): string =>
  `No model server answers at ${shown(url)} (${status}). Check the address; most end in /v1.`

/** Without a password or a query. */
function shown(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/\/models$/, "")}`
}

/** `data` with ids, as most have it; `models` with names, as Google has it. */
function idsIn({ data, models }: JsonObject): readonly string[] | undefined {
  const list = Array.isArray(data) ? data : models
  if (!Array.isArray(list)) return undefined
  const ids = list.flatMap((model) => {
    if (!isObject(model) || !converses(model)) return []
    const { id, name } = model
    const found = typeof id === "string" ? id : name
    return typeof found === "string" && found !== "" ? [found.replace(/^models\//, "")] : []
  })
  return [...new Set(ids)]
}

/** What each server says of its own models; where none says anything, the name. */
function converses({
  id,
  name,
  type,
  capabilities,
  supported_parameters,
  supportedGenerationMethods,
}: JsonObject): boolean {
  if (Array.isArray(supported_parameters)) return supported_parameters.includes("tools")
  if (Array.isArray(supportedGenerationMethods)) return supportedGenerationMethods.includes("generateContent")
  if (isObject(capabilities) && capabilities.completion_chat === false) return false
  if (typeof type === "string" && otherTypes.has(type)) return false
  return !otherNames.test(String(id ?? name))
}

const otherTypes: ReadonlySet<string> = new Set([
  "embedding",
  "embeddings",
  "image",
  "audio",
  "video",
  "rerank",
  "moderation",
  "transcribe",
])

const otherNames =
  /embed|whisper|(^|-)tts|dall-e|moderation|realtime|transcribe|(^|-)(image|audio|sora|babbage|davinci)(-|$)|rerank|-guard/i
