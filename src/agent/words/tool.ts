/** A tool is one value: what the model reads, its input, what it will touch, and what it does. */

import type { JsonObject } from "#lib/json.ts"
import type { Boundary } from "./boundary.ts"
import type { Display, FileDiff } from "./display.ts"
import type { End } from "./end.ts"
import type { Footprint } from "./footprint.ts"
import type { ResultContent } from "./message.ts"
import type { Reason } from "./permission.ts"
import type { SeenFile } from "./seen.ts"

/** The result of a call. Every call has exactly one. */
export interface Outcome {
  readonly content: ResultContent
  readonly isError: boolean
  readonly display?: Display
  /** The result as fields, for programs (`tool_use_result` on the wire). */
  readonly data?: JsonObject
  readonly change?: ContextChange
  /** The user said no: the turn ends after the group. */
  readonly rejected?: boolean
  /** The turn ends after the group, in this way; if it completes, at rest as usual. */
  readonly end?: End
  /** Whether the user interrupted it before it did anything or while it ran. */
  readonly interrupted?: InterruptedWhen
  /** Refused by a rule, or because no one could be asked. */
  readonly denied?: boolean
  /** The files the model knows from it. */
  readonly seen?: readonly SeenFile[]
  /** What the sandbox prevented, when it failed: `writing /etc/hosts`. */
  readonly withheld?: readonly string[]
}

export const interruptedWhens = ["before", "during"] as const
export type InterruptedWhen = (typeof interruptedWhens)[number]

export const gatherings = ["file", "pattern", "folder"] as const
export type Gathers = (typeof gatherings)[number]

/** Why a call cannot be made: in words for the model, and for the screen. */
export interface Complaint {
  readonly message: string
  readonly shown: string
}

/** What a tool may change for later calls. */
export type ContextChange = { readonly kind: "cwd"; readonly path: string }

export interface Progress {
  readonly output: string
  readonly elapsedMs: number
  readonly totalBytes: number
}

export interface CallContext {
  readonly callId: string
  /** The call or prompt it is made for, if the model did not ask for it directly. */
  readonly within?: string
  readonly signal: AbortSignal
  readonly progress: (progress: Progress) => void
  /** Its span, for what it starts or asks; absent without telemetry. */
  readonly traceparent?: string
  /** What its permission confines it to; by the user when absent. The tool must ensure that nothing it starts can do more. */
  readonly boundary?: Boundary
  /**
   * Only for a tool that prepares: pending while the call is being recorded. Nothing may take effect before it is; an
   * outcome is the answer instead of running.
   */
  readonly recorded?: Promise<Outcome | undefined>
}

/** The typed value, or a sentence for the model that names the invalid field. */
export type Parsed<Input> =
  { readonly ok: true; readonly value: Input } | { readonly ok: false; readonly message: string }

/** The MCP server behind a tool: its configured name, and who configured it, in the words that hooks and clients read. */
export interface ToolServer {
  readonly name: string
  readonly source: string
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly aliases?: readonly string[]
  /** An input as older programs wrote it, in the form of today: rules, hooks and the tool see only that. */
  readonly modernize?: (input: JsonObject) => JsonObject
  /** Set for a tool of an MCP server. */
  readonly server?: ToolServer
  /** Set if its calls only look things up: faces show a run of such calls as one. */
  readonly gathers?: Gathers
  /** A running call can move to the background, so that the model need not wait for it. */
  readonly movable?: true
  /** Prepares while its call is being recorded, and waits for `recorded` before anything takes effect. */
  readonly prepares?: true
  /** Its effects are in a store that can be asked by the call's id: after a crash, `Kit.outcomeOf` gives the real result. */
  readonly keyed?: true
  /** Its calls are carried out by another model. */
  readonly delegates?: true
  /** Brings together what others did, so it can be used in delegate mode although it changes files. */
  readonly coordinates?: true
  /** A call of it that fails does not keep the calls after it in the same answer from running. */
  readonly independent?: true
  /** For the model: when to use it, when not, how. */
  readonly description: string
  /** The description without its framing, if any: for lists and searches. */
  readonly about?: string
  /** More words to find it by; never shown. */
  readonly searchHint?: string
  /** Of a late tool: always listed, or always deferred, however much room there is. */
  readonly listed?: boolean
  /** The input as JSON Schema, for the model. */
  readonly schema: JsonObject
  readonly parse: (input: JsonObject) => Parsed<Input>
  /** A short title for the screen: `Read src/app.ts`. */
  readonly title: (input: Input) => string
  readonly footprint: (input: Input) => Footprint
  /**
   * Loads what the tool needs to compute a footprint, and starts what its first call would wait for. Called when
   * the model starts to write a call, and awaited before the call is parsed; undefined once everything is loaded.
   */
  readonly warm?: () => Promise<void> | undefined
  /** The tool's own check before anything is asked or run; a complaint is an error result. */
  readonly validate?: (input: Input, signal: AbortSignal) => Promise<string | Complaint | undefined>
  /** What the call would do, drawn in the question about it. Changes nothing; undefined when it cannot be told. */
  readonly preview?: (input: Input, signal: AbortSignal) => Promise<Display | undefined>
  /** What is at risk, one sentence each, for the question about it. */
  readonly risks?: (input: Input) => readonly string[]
  /** Why no rule applies to the call now: what it would use has changed since the user allowed it, or never can be allowed by a rule. */
  readonly changed?: (input: Input) => string | undefined
  /** How it differs from what the user allowed, shown with every question while it does. */
  readonly change?: () => Promise<FileDiff | undefined>
  /**
   * Called when a call is allowed, with the reason: what was allowed is this very value, whatever its name means
   * later.
   */
  readonly allowed?: (reason: Reason, input: Input) => void
  readonly run: (input: Input, context: CallContext) => Promise<Outcome>
  /** Longer results are kept in a file and cut. */
  readonly maxResultChars: number
}

/** With its input type erased: what lists and the executor use. */
// oxlint-disable-next-line no-explicit-any -- a list of tools cannot name each input type, and `parse` makes the pairing safe.
export type AnyTool = Tool<any>

export const answered = (
  content: ResultContent,
  more: Partial<Omit<Outcome, "content" | "isError">> = {},
): Outcome => ({
  content,
  isError: false,
  ...more,
})

export const refused = (message: string, more: Partial<Omit<Outcome, "content" | "isError">> = {}): Outcome => ({
  content: message,
  isError: true,
  ...more,
})

export const complained = (complaint: string | Complaint): Outcome =>
  typeof complaint === "string"
    ? refused(complaint)
    : refused(complaint.message, { display: { kind: "text", text: complaint.shown } })

export const interrupted = (message: string, when: InterruptedWhen): Outcome => refused(message, { interrupted: when })

/** The outcome of a call, with a note for the model at its end. */
export function withNote(outcome: Outcome, note: string): Outcome {
  const { content } = outcome
  const text = `[${note}]`
  return {
    ...outcome,
    content: typeof content === "string" ? `${content}\n${text}` : [...content, { type: "text", text }],
  }
}
