/** A tool is one value: what the model reads, what it takes, what it will touch, and what it does. */

import type { JsonObject } from "#lib/json.ts"
import type { Display, FileDiff } from "./display.ts"
import type { Footprint } from "./footprint.ts"
import type { ResultContent } from "./message.ts"
import type { Reason } from "./permission.ts"
import type { SeenFile } from "./seen.ts"

/** What came of a call. Whatever happens, there is exactly one. */
export interface Outcome {
  readonly content: ResultContent
  readonly isError: boolean
  readonly display?: Display
  /** The result as fields, for programs (`tool_use_result` on the wire). */
  readonly data?: JsonObject
  /** How the session around the call changes. */
  readonly change?: ContextChange
  /** The person said no: the turn ends after the group. */
  readonly rejected?: boolean
  /** The person interrupted it: before it did anything, or while it was at work. */
  readonly interrupted?: InterruptedWhen
  /** A permission was refused, by a rule or because nobody could be asked. */
  readonly denied?: boolean
  /** The files that the model knows by it. */
  readonly seen?: readonly SeenFile[]
  /** What the sandbox kept it from doing, when it failed: `writing /etc/hosts`. */
  readonly withheld?: readonly string[]
}

export const interruptedWhens = ["before", "during"] as const
export type InterruptedWhen = (typeof interruptedWhens)[number]

/** What a call looks at. */
export const gatherings = ["file", "pattern", "folder"] as const
export type Gathers = (typeof gatherings)[number]

/** Why a call cannot be made: what the model reads, and what people see instead. */
export interface Complaint {
  readonly message: string
  readonly shown: string
}

/** What a tool may change for the calls after it. */
export type ContextChange = { readonly kind: "cwd"; readonly path: string }

/** What a running call says before it is done. */
export interface Progress {
  /** Output that came since the last progress. */
  readonly output: string
  readonly elapsedMs: number
  /** Bytes of output so far, all together. */
  readonly totalBytes: number
}

/** What a tool gets besides its input. */
export interface CallContext {
  readonly callId: string
  /** The call or the prompt that it is made for, where the model did not ask for it itself. */
  readonly within?: string
  readonly signal: AbortSignal
  readonly progress: (progress: Progress) => void
  /** It was let through only because it reads: the tool must see to it that nothing it starts can do more. */
  readonly onlyReads?: boolean
  /** It was decided to run outside the sandbox. */
  readonly outside?: true
}

/** How an input was understood: the typed value, or a sentence for the model that names the offending field. */
export type Parsed<Input> =
  { readonly ok: true; readonly value: Input } | { readonly ok: false; readonly message: string }

export interface Tool<Input = unknown> {
  readonly name: string
  readonly aliases?: readonly string[]
  /** What its calls look at, where that is all they do: faces show a run of such calls as one. */
  readonly gathers?: Gathers
  /** A running call of it can go on in the background, so that the model need not wait for it. */
  readonly movable?: true
  /** Its calls are carried out by a model of its own. */
  readonly delegates?: true
  /** What the model reads: when to use it, when not, how. */
  readonly description: string
  /** The description without what stands around it, where something does: for lists and searches. */
  readonly about?: string
  /** The input as JSON Schema, for the model. */
  readonly schema: JsonObject
  readonly parse: (input: JsonObject) => Parsed<Input>
  /** A short head line for people: `Read src/app.ts`. */
  readonly title: (input: Input) => string
  readonly footprint: (input: Input) => Footprint
  /**
   * Loads what the tool needs to say what a call touches, and begins what its first call would wait for. Asked when the
   * model begins to write a call, and waited for before the call is understood; undefined once everything is there.
   */
  readonly warm?: () => Promise<void> | undefined
  /** The tool's own check before anything is asked or run; a complaint is an error result. */
  readonly validate?: (input: Input, signal: AbortSignal) => Promise<string | Complaint | undefined>
  /** What the call would do, to be drawn in the question about it. Changes nothing; undefined when it cannot be told. */
  readonly preview?: (input: Input, signal: AbortSignal) => Promise<Display | undefined>
  /** What is at risk by the tool's own account, one sentence each, for the question about it. */
  readonly risks?: (input: Input) => readonly string[]
  /** Why no rule may speak for the tool now: it is not what it was when the person allowed it. */
  readonly changed?: () => string | undefined
  /** How it differs from what the person allowed, to be shown with every question about it while it does. */
  readonly change?: () => Promise<FileDiff | undefined>
  /** Told that a call of it was allowed, and why: what was allowed is this very value, whatever its name means later. */
  readonly allowed?: (reason: Reason) => void
  readonly run: (input: Input, context: CallContext) => Promise<Outcome>
  /** Results longer than this are kept in a file and cut. */
  readonly maxResultChars: number
}

/** A tool whose input type is its own business: what lists and the executor hold. */
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

/** The answer to a call that its tool complains about. */
export const complained = (complaint: string | Complaint): Outcome =>
  typeof complaint === "string"
    ? refused(complaint)
    : refused(complaint.message, { display: { kind: "text", text: complaint.shown } })

/** For a call that the person interrupted. */
export const interrupted = (message: string, when: InterruptedWhen): Outcome => refused(message, { interrupted: when })
