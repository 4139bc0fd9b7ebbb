/** What providers refuse with, and what happens then: one table for all of them, printed in docs/reference/model-errors.md. */

import type { ModelFailure } from "#agent/words/model.ts"

/** A refusal, as far as the table looks at it. */
export interface Refused {
  readonly status: number
  /** The provider's own names for the error: its type, its code. */
  readonly names: readonly string[]
  /** The field of the request that was refused, where the provider says so. */
  readonly field?: string
  readonly message: string
}

export interface Outcome {
  readonly kind: ModelFailure["kind"]
  /** Some providers answer with another status than the one that is meant, so names count first. */
  readonly names: readonly string[]
  readonly statuses: readonly (number | readonly [from: number, to: number])[]
  /** Of the statuses above; any message when absent. */
  readonly message?: RegExp
  /** Of the statuses above, in place of the message: the field that was refused. */
  readonly field?: RegExp
  /** Where a message alone says it, whatever the status of a refused request. */
  readonly saying?: RegExp
  readonly retry: "no" | "yes" | "slowly"
  /** For the table. */
  readonly about: string
  readonly then: string
}

const tooLong =
  /(?:prompt|input) is too long|too many (?:input |total )?tokens|context (?:window|length|limit|size)|exceeds? the (?:maximum|model).*(?:tokens|length)/i

/** As Anthropic and others say it, and as Google does. */
const namesConversation =
  /^messages(?:[.[:]|\b.*\b(?:must|roles)\b)|GenerateContentRequest\.contents|^Please ensure that |thought.?signature|^Unable to process input image|^Unsupported MIME type/i

/** The first that fits counts. */
export const outcomes: readonly Outcome[] = [
  {
    kind: "no_credit",
    names: [
      "insufficient_quota",
      "billing_error",
      "billing_hard_limit_reached",
      "billing_not_active",
      "insufficient_balance",
      "insufficient_credits",
    ],
    statuses: [402],
    saying: /credit balance is too low|insufficient (?:balance|credits?)/i,
    retry: "no",
    about: "The account has no credit, or its quota is used up",
    then: "The turn ends; add credit or use another key.",
  },
  {
    kind: "overloaded",
    names: [
      "overloaded_error",
      "overloaded",
      "server_overloaded",
      "engine_overloaded",
      "server_is_overloaded",
      "slow_down",
      "UNAVAILABLE",
      "ServiceUnavailableException",
    ],
    statuses: [529, 498, 503],
    message: /overload|capacity|too busy|high demand/i,
    retry: "slowly",
    about: "The provider is overloaded",
    then: "It is tried again after longer waits; after three times in a row the fallback model takes over, if there is one.",
  },
  {
    kind: "rate_limited",
    names: [
      "rate_limit_error",
      "rate_limit_exceeded",
      "RESOURCE_EXHAUSTED",
      "ThrottlingException",
      "TooManyRequestsException",
    ],
    statuses: [429],
    retry: "yes",
    about: "A rate limit is reached",
    then: "It is tried again when the provider says, at once more slowly if it says nothing. If it asks for more than a minute, the turn ends and says until when.",
  },
  {
    kind: "unauthorized",
    names: [
      "authentication_error",
      "invalid_api_key",
      "UNAUTHENTICATED",
      "API_KEY_INVALID",
      "UnrecognizedClientException",
    ],
    statuses: [401],
    retry: "no",
    about: "The key is rejected",
    then: "The key is read again, if a command prints it, and tried once more; else the turn ends and names the key.",
  },
  {
    kind: "too_large",
    names: ["request_too_large"],
    statuses: [413],
    retry: "no",
    about: "The request has too many bytes",
    then: "Images and documents are left out, then older results; then it is sent again.",
  },
  {
    kind: "too_long",
    names: [
      "context_length_exceeded",
      "model_context_window_exceeded",
      "exceed_context_size_error",
      "string_above_max_length",
    ],
    statuses: [400],
    message: tooLong,
    retry: "no",
    about: "The conversation is longer than the model's window",
    then: "The conversation is compacted, then sent again.",
  },
  {
    kind: "rejected",
    names: [],
    statuses: [[300, 399]],
    retry: "no",
    about: "The address redirects elsewhere",
    then: "The turn ends: the key is not sent there.",
  },
  {
    kind: "server",
    names: [
      "api_error",
      "server_error",
      "timeout_error",
      "INTERNAL",
      "DEADLINE_EXCEEDED",
      "ABORTED",
      "InternalServerException",
      "ModelTimeoutException",
    ],
    statuses: [408, 409, 424, 425, [500, 599]],
    retry: "yes",
    about: "The provider failed",
    then: "It is tried again.",
  },
  {
    kind: "malformed",
    names: [],
    statuses: [400, 422],
    message: namesConversation,
    field: /^(?:messages|input)\b/,
    retry: "no",
    about: "The provider does not accept the conversation, and names the place",
    then: "Images and documents are left out, then older results; then it is sent again.",
  },
  {
    kind: "rejected",
    names: [],
    statuses: [[400, 499]],
    retry: "no",
    about: "Anything else: no permission, no such model, a parameter it does not know",
    then: "The turn ends with the provider's message.",
  },
]

/** A status that no row has counts like a failure of the provider. */
export function outcomeOf(refused: Refused): Outcome {
  return (
    outcomes.find(({ names }) => refused.names.some((name) => names.includes(name))) ??
    outcomes.find((outcome) => fits(outcome, refused)) ??
    failing
  )
}

const failing: Outcome = {
  kind: "server",
  names: [],
  statuses: [],
  retry: "no",
  about: "An answer that is none",
  then: "The turn ends.",
}

function fits({ statuses, message, field, saying }: Outcome, refused: Refused): boolean {
  if (saying && refused.status >= 400 && refused.status < 500 && saying.test(refused.message)) return true
  const isListed = statuses.some((one) =>
    typeof one === "number" ? one === refused.status : one[0] <= refused.status && refused.status <= one[1],
  )
  if (!isListed || message === undefined) return isListed
  if (alwaysOverloaded.has(refused.status) || message.test(refused.message)) return true
  return field !== undefined && refused.field !== undefined && field.test(refused.field)
}

/** They mean nothing else. */
const alwaysOverloaded: ReadonlySet<number> = new Set([529, 498])

/** The status that a name stands for, where an answer broke off with one. An unknown name counts as the provider's own fault. */
export function statusOfName(name: string): number {
  const known = statusNames[name]
  if (known !== undefined) return known
  const status = outcomes.find(({ names }) => names.includes(name))?.statuses[0]
  return typeof status === "number" ? status : 500
}

const statusNames: { readonly [name: string]: number } = {
  invalid_request_error: 400,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  ValidationException: 400,
  permission_error: 403,
  PERMISSION_DENIED: 403,
  AccessDeniedException: 403,
  not_found_error: 404,
  NOT_FOUND: 404,
  model_not_found: 404,
  conflict_error: 409,
  api_error: 500,
  server_error: 500,
  INTERNAL: 500,
  InternalServerException: 500,
  timeout_error: 504,
  DEADLINE_EXCEEDED: 504,
}
