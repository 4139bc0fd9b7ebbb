/** Spans, log records and attributes as plain values, before they are encoded. */

export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = { readonly [name: string]: AttributeValue | undefined }

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: SpanName
  /** `client`: another process or machine does the work. */
  readonly kind: "internal" | "client"
  /** Milliseconds since the epoch, like the end. */
  readonly start: number
  readonly end: number
  /** What everything of its turn has; its own come first where both have one. */
  readonly shared: Attributes
  readonly attributes: Attributes
  /** Why it failed. */
  readonly error?: { readonly type: string; readonly message?: string }
}

export interface LogRecord {
  readonly at: number
  readonly name: string
  readonly severity: "info" | "warning" | "error"
  readonly shared: Attributes
  readonly attributes: Attributes
  readonly traceId: string
  readonly spanId?: string
}

export const spanNames = [
  "session",
  "turn",
  "step",
  "model.request",
  "tool.call",
  "permission.wait",
  "tool.run",
  "mcp.call",
  "hook",
  "agent",
  "feedback",
] as const
export type SpanName = (typeof spanNames)[number]

/** What may be sent of what people, models and tools wrote; nothing unless it is switched on. */
export interface Contents {
  readonly prompts: boolean
  readonly toolInput: boolean
  readonly toolOutput: boolean
}

export const noContents: Contents = { prompts: false, toolInput: false, toolOutput: false }
