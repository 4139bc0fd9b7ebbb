/** What a provider's refusal means: the kind of failure, whether to try again, and the message for the user. */

import type { ModelFailure } from "#agent/words/model.ts"
import type { AttemptFailure } from "./attempt.ts"
import { askedWait, type ReadHeaders } from "./asked-wait.ts"

/** A status, and what the body said. */
export interface HttpRefusal {
  readonly status: number
  /** The provider's own name for the error. */
  readonly type?: string
  /** More exact than the type, where a provider has both. */
  readonly code?: string
  /** The field of the request that was refused, where the provider says so. */
  readonly field?: string
  readonly message: string
  readonly headers: ReadHeaders
  /** The wait that the body names. */
  readonly waitMs?: number
  /** `never`: the body says that another attempt would fail as well. */
  readonly retry?: "never"
  readonly voice: Voice
}

export interface Voice {
  /** Such as `Anthropic`, or the host of a gateway. */
  readonly who: string
  /** For a rejected key: which one it was and where it came from, then how to change it. */
  readonly key: () => { readonly which: string; readonly advice: string }
  /** For a key that could not be read; `why` is a sentence. */
  readonly noKey?: (why: string) => string
}

/** No one wants to watch a longer countdown. */
const longestAskedWaitMs = 60_000

export function refusalFailure(refusal: HttpRefusal, now: number): AttemptFailure {
  const failure = understand(refusal)
  const waitMs = refusal.waitMs ?? askedWait(refusal.headers, now)
  if (waitMs !== undefined && waitMs > longestAskedWaitMs && isPassing(refusal))
    return { type: "failed", failure: untilLater(failure, now + waitMs), again: false }
  const told = refusal.retry === "never" ? "false" : refusal.headers.get("x-should-retry")
  const again = told === "true" || (told !== "false" && isPassing(refusal))
  return { type: "failed", failure, again, ...(again && waitMs !== undefined && { waitMs }) }
}

/** Credit that is used up does not come back by waiting, though it has the status of a limit. */
const isPassing = ({ status, type, code = type }: HttpRefusal): boolean =>
  code !== "insufficient_quota" &&
  (status === 408 || status === 409 || status === 424 || status === 429 || (status >= 500 && status <= 599))

export function understand({ status, type, code = "", field = "", message, voice }: HttpRefusal): ModelFailure {
  const { who } = voice
  const words = message === "" || saysNothingNew.test(message) ? "" : ` ${sentence(message)}`
  if (status === 529 || type === "overloaded_error" || overloadCodes.has(code))
    return { kind: "overloaded", status, message: `${who} is overloaded (${status}).${words}` }
  if (status === 429)
    return { kind: "rate_limited", status, message: `The rate limit of ${who} is reached (429).${words}` }
  // Some clouds say so with another status.
  if (status === 401 || type === "authentication_error") {
    const { which, advice } = voice.key()
    return { kind: "unauthorized", status, message: `${which} was rejected (${status}).${words} ${advice}` }
  }
  if (status === 413 || type === "request_too_large")
    return { kind: "too_large", status, message: `The request is too large for ${who} (${status}).${words}` }
  if ((status === 400 && isTooLong(message)) || type === "exceed_context_size_error")
    return { kind: "too_long", status, message: `The conversation is too long for the model.${words}` }
  if (status >= 300 && status < 400)
    return {
      kind: "rejected",
      status,
      message: `${who} redirects elsewhere (${status}), and the key is not sent there.${words} Set the base URL to the address that answers.`,
    }
  if (status >= 500 || status === 408 || status === 409 || status === 424)
    return { kind: "server", status, message: `${who} failed (${status}).${words}` }
  // The provider names the place: only then is it the conversation itself that it does not take.
  const isAboutConversation = namesConversation.test(message) || /^(?:messages|input)\b/.test(field)
  const kind = (status === 400 || status === 422) && isAboutConversation ? "malformed" : "rejected"
  return { kind, status, message: `${who} refused the request (${status}).${words}` }
}

/** As Anthropic and others say it, and as Google does. */
const namesConversation =
  /^messages(?:[.[:]|\b.*\b(?:must|roles)\b)|GenerateContentRequest\.contents|^Please ensure that |thought.?signature|^Unable to process input image|^Unsupported MIME type/i

/** Providers that have no status of their own for it name it. */
export const overloadCodes: ReadonlySet<string> = new Set(["server_is_overloaded", "overloaded", "slow_down"])

/** Phrases that add nothing to the status. */
const saysNothingNew =
  /^\s*(?:overloaded(?:_error)?|internal server error|unauthorized|invalid x-api-key|invalid bearer token|api key not valid\. please pass a valid api key|the model is overloaded\. please try again later)\.?\s*$/i

function isTooLong(message: string): boolean {
  return /(?:prompt|input) is too long|too many (?:input |total )?tokens|context (?:window|length|limit|size)|exceeds? the (?:maximum|model).*(?:tokens|length)/i.test(
    message,
  )
}

function untilLater(failure: ModelFailure, at: number): ModelFailure {
  const when = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" }).format(at)
  return { ...failure, message: `${failure.message} It asks to wait until ${when}.` }
}

const longestWords = 400

/** One sentence of the provider's message: HTML pages and walls of text tell the user nothing. */
function sentence(message: string): string {
  const plain = message.replaceAll(/\s+/g, " ").trim()
  if (/<(?:!doctype|html|head|body)\b/i.test(plain)) return "It answered with a web page."
  const short = plain.length > longestWords ? `${plain.slice(0, longestWords)}…` : plain
  return /[.!?…]$/.test(short) ? short : `${short}.`
}
