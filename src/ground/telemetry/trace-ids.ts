/** Ids of traces and spans, derived from the ids in the log: a live trace and one made later from the log are the same. */

/** The parent that another program names, as the W3C writes it. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

/** The id of the session without its dashes, so that a trace can be found by its session. */
export function traceIdOf(sessionId: string): string {
  const plain = sessionId.replaceAll("-", "").toLowerCase()
  return /^[0-9a-f]{32}$/.test(plain) && /[1-9a-f]/.test(plain) ? plain : digest(`trace ${sessionId}`).slice(0, 32)
}

export const spanIdOf = (traceId: string, ...parts: readonly string[]): string =>
  digest([traceId, ...parts].join("\n")).slice(0, 16)

/** A call has this span in whichever session of the trace it was made; ids of calls repeat in other sessions. */
export const callSpanId = (traceId: string, logId: string, callId: string): string =>
  spanIdOf(traceId, "call", logId, callId)

/** Reported by the session that starts the agent, and the parent of what the agent reports itself. */
export const agentSpanId = (traceId: string, agentId: string): string => spanIdOf(traceId, "agent", agentId)

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`

/** Undefined for anything that does not follow the standard. */
export function readTraceparent(text: string | undefined): TraceParent | undefined {
  const [, version, traceId, spanId, flags, rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text?.trim() ?? "") ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined || version === "ff") return undefined
  if (version === "00" && rest !== undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const digest = (text: string): string => Bun.CryptoHasher.hash("sha256", text, "hex")
