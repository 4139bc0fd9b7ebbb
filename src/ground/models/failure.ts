/** What a provider's refusal means: the kind of failure, whether to try again, and the message for the user. */

import type { ModelFailure } from "#agent/words/model.ts"
import type { AttemptFailure } from "./attempt.ts"
import { askedWait, type ReadHeaders } from "./asked-wait.ts"
import { outcomeOf, type Refused } from "./outcomes.ts"

/** A status, and what the body said. */
export interface HttpRefusal extends Refused {
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
  const isPassing = outcomeOf(refusal).retry !== "no"
  const waitMs = askedWait(refusal.headers, now) ?? refusal.waitMs
  if (waitMs !== undefined && waitMs > longestAskedWaitMs && isPassing)
    return { type: "failed", failure: untilLater(failure, now + waitMs), again: false }
  const retryAdvice = refusal.retry === "never" ? "false" : refusal.headers.get("x-should-retry")
  const again = retryAdvice === "true" || (retryAdvice !== "false" && isPassing)
  return { type: "failed", failure, again, ...(again && waitMs !== undefined && { waitMs }) }
}

export function understand(refusal: HttpRefusal): ModelFailure {
  const { status, message } = refusal
  const { kind } = outcomeOf(refusal)
  const words = message === "" || saysNothingNew.test(message) ? "" : ` ${sentence(message)}`
  return { kind, status, message: sentenceFor(kind, refusal, words) }
}

function sentenceFor(kind: ModelFailure["kind"], { status, voice }: HttpRefusal, words: string): string {
  const { who } = voice
  switch (kind) {
    case "no_credit":
      return `The account at ${who} has no credit left (${status}).${words} Add credit there, or use another key or model.`
    case "overloaded":
      return `${who} is overloaded (${status}).${words}`
    case "rate_limited":
      return `The rate limit of ${who} is reached (${status}).${words}`
    case "unauthorized": {
      const { which, advice } = voice.key()
      return `${which} was rejected (${status}).${words} ${advice}`
    }
    case "too_large":
      return `The request is too large for ${who} (${status}).${words}`
    case "too_long":
      return `The conversation is too long for the model.${words} Use /rewind to go back, or /clear to start over.`
    case "server":
      return `${who} failed (${status}).${words}`
    default:
      return status >= 300 && status < 400
        ? `${who} redirects elsewhere (${status}), and the key is not sent there.${words} Set the base URL to the address that answers.`
        : `${who} refused the request (${status}).${words}`
  }
}

/** Phrases that add nothing to the status. */
const saysNothingNew =
  /^\s*(?:overloaded(?:_error)?|internal server error|unauthorized|invalid x-api-key|invalid bearer token|api key not valid\. please pass a valid api key|the model is overloaded\. please try again later)\.?\s*$/i

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
