/**
 * Everything that can go wrong between us and a model, as data: the names, what each does, and how a client should
 * react.
 */

export const faultNames = [
  "rate_limit",
  "rate_limit_no_header",
  "rate_limit_reset_far",
  "server_error",
  "bad_gateway",
  "overloaded",
  "unauthorized",
  "too_long",
  "too_large",
  "reset_before_headers",
  "reset_mid_event",
  "reset_after_tool_call",
  "reset_at_byte",
  "closed_at_byte",
  "truncated_event",
  "malformed_json",
  "unknown_event",
  "ping_stall",
  "slow_drip",
  "huge_delta",
  "error_event",
  "max_tokens_in_tool",
  "refusal",
  "pause_turn",
  "wrong_content_type",
  "keep_alive_closed",
  "repeated_block",
  "duplicate_tool_id",
  "malformed_tool_id",
  "window_exceeded",
] as const
export type FaultName = (typeof faultNames)[number]

export interface Fault {
  readonly name: FaultName
  /** How many requests it hits; 1 by default. */
  readonly times?: number
  /** For rate limits: the header's value. */
  readonly retryAfterSeconds?: number
  /** For faults inside a stream: how many whole events come first. */
  readonly afterEvents?: number
  /** For faults at a byte: how many bytes of the body come first; half of them by default. */
  readonly afterBytes?: number
  /** For `slow_drip`: the wait between drops. */
  readonly everyMs?: number
  readonly bytes?: number
}

export interface FaultFacts {
  readonly about: string
  /**
   * What a correct client does: repeats the request, continues with what was complete, takes the answer, or ends
   * the turn. A reply that the client takes is used up; any other is kept for the next request.
   */
  readonly then: "repeat" | "continue" | "take" | "end"
  /** Waits for a reply with a call, because it means nothing without one. */
  readonly needsCall?: true
  /** Left out of random choice unless named: it ends the turn, or blocks a request for very long. */
  readonly rare?: true
}

export const faultFacts: { readonly [name in FaultName]: FaultFacts } = {
  rate_limit: { about: "429 with retry-after", then: "repeat" },
  rate_limit_no_header: { about: "429 without retry-after", then: "repeat" },
  rate_limit_reset_far: { about: "429 with a reset time more than a minute away", then: "end", rare: true },
  server_error: { about: "500", then: "repeat" },
  bad_gateway: { about: "502 with an HTML page, as proxies send", then: "repeat" },
  overloaded: { about: "529", then: "repeat" },
  unauthorized: { about: "401", then: "end", rare: true },
  too_long: { about: "400, the prompt is longer than the window", then: "repeat", rare: true },
  too_large: { about: "413, the body is too big", then: "repeat", rare: true },
  reset_before_headers: { about: "the connection is reset before any answer", then: "repeat" },
  reset_mid_event: { about: "the connection is reset in the middle of an event", then: "repeat" },
  reset_after_tool_call: {
    about: "the connection is reset right after a whole tool call",
    then: "continue",
    needsCall: true,
  },
  reset_at_byte: { about: "the connection is reset at any byte of the body", then: "continue" },
  closed_at_byte: { about: "the connection is closed cleanly at any byte of the body", then: "continue" },
  truncated_event: { about: "the stream ends cleanly in the middle of an event", then: "repeat" },
  malformed_json: { about: "one event holds broken JSON", then: "repeat" },
  unknown_event: { about: "an event of an unknown kind, harmless", then: "take" },
  ping_stall: { about: "the stream opens, pings once and falls silent", then: "repeat", rare: true },
  slow_drip: { about: "the answer comes a few bytes at a time", then: "take" },
  huge_delta: { about: "one delta of 10 MB", then: "take", rare: true },
  error_event: { about: "an overloaded error inside a 200 stream", then: "repeat" },
  max_tokens_in_tool: {
    about: "the token limit strikes in the middle of a call's JSON",
    then: "repeat",
    needsCall: true,
  },
  refusal: { about: "the model refuses", then: "end", rare: true },
  pause_turn: { about: "the model pauses and wants to be asked to go on", then: "repeat" },
  wrong_content_type: { about: "200 with an HTML page where a stream belongs", then: "repeat" },
  keep_alive_closed: { about: "a whole answer, then the kept connection is closed", then: "take" },
  repeated_block: { about: "the events of a call come twice", then: "take", needsCall: true },
  duplicate_tool_id: { about: "calls that reuse an id", then: "take", needsCall: true },
  malformed_tool_id: { about: "calls with ids the API itself would refuse", then: "take", needsCall: true },
  window_exceeded: { about: "the answer ends because the window is full", then: "end", rare: true },
}

/** The default for random choice. */
export const commonFaults: readonly FaultName[] = faultNames.filter((name) => faultFacts[name].rare !== true)

export const isFaultName = (value: unknown): value is FaultName => faultNames.some((name) => name === value)
