/** The only way to ask the user. A question is an entry, so it can wait for days and be answered from anywhere. */

import { digestOf } from "#lib/digest.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { AskingAgent } from "./child.ts"
import type { Footprint } from "./footprint.ts"
import type { Display, FileDiff } from "./display.ts"
import type { ToolServer } from "./tool.ts"
import type { Decision, Grant, GrantDestination, PermissionMode, PermissionUpdate } from "./permission.ts"

export type QuestionAsk =
  | {
      readonly kind: "permission"
      readonly callId: string
      readonly tool: string
      /** The MCP server it belongs to. */
      readonly server?: ToolServer
      readonly title: string
      /** Names the action; the details are shown below it. Absent in older logs. */
      readonly question?: string
      readonly input: JsonObject
      readonly footprint: Footprint
      /** The working folder of a command: the same command does something else in another folder. */
      readonly cwd?: string
      /** What it would do: the difference an edit would make. */
      readonly display?: Display
      /** How the tool differs from what was allowed before, if it does: a yes is a yes to what it is now. */
      readonly change?: FileDiff
      readonly decision: Decision
      /** Why it is asked, in one short line for the user; absent if the rest says it. */
      readonly why?: string
      /** Whether /rewind undoes what the call changes; absent if unknown. */
      readonly undo?: "rewind" | "never"
      /** The parts of a compound command, as written, in order. */
      readonly parts?: readonly QuestionPart[]
      readonly risks?: readonly string[]
      /** What it does and why it is asked, in plain sentences, for those who see nothing else of it. Absent in older logs. */
      readonly explanation?: string
      /** What it could do, as short phrases from a fixed list: `Deletes files`, `Reaches the network`. */
      readonly effects?: readonly string[]
      /** The one risk that must not be overlooked: it is asked about in every mode. */
      readonly alarm?: string
      /** The narrowest rule that would have avoided the question; the user may edit it before it is saved. */
      readonly suggestedRule?: string
      /** Where a rule could be saved; empty when no rule may be added. */
      readonly destinations?: readonly GrantDestination[]
      /**
       * What an answer could include so that similar calls are not asked about again; absent when nothing would
       * help.
       */
      readonly suggestions?: Suggestions
      /** Auto mode could decide about calls like this one: it is available and not chosen. */
      readonly auto?: true
      /** A hook wants the call to wait for a person, also where a run has to end for that. */
      readonly deferred?: true
    }
  | {
      readonly kind: "choice"
      readonly callId: string
      /**
       * A fingerprint of what it is about, of which the text may not show everything. In this session the answer counts whenever exactly the same
       * is asked about again, also in another process.
       */
      readonly about?: string
      readonly questions: readonly {
        readonly question: string
        readonly header: string
        readonly options: readonly { readonly label: string; readonly description: string }[]
        readonly multiSelect: boolean
        /** Absent, words can be added to an option, or stand for it. */
        readonly takes?: "an option" | "an option or words"
      }[]
    }
  | {
      readonly kind: "plan"
      readonly callId: string
      /** Markdown. */
      readonly plan: string
      readonly path: string
      /** What the plan says it will touch; absent if it has no such headings, and in older logs. */
      readonly scope?: PlanScope
      /** Modes to continue in, the one from before planning first. */
      readonly modes: readonly PermissionMode[]
      /** Kinds of commands the plan wants to run without asking; `covers` says what each would grant, if anything. */
      readonly wishes: readonly { readonly prompt: string; readonly covers?: string }[]
    }
  | {
      readonly kind: "elicitation"
      /** The call during which it asks; a generated id when that is not known. */
      readonly callId: string
      readonly server: string
      readonly message: string
      /** The form as JSON Schema. */
      readonly schema?: JsonObject
      /** A URL it wants opened instead. */
      readonly url?: string
      /** By which the server says later that this is done. */
      readonly elicitationId?: string
      /** Which of the call's questions it is, where the server may ask the same again. */
      readonly round?: string
      /** The server's own words for the dialog; anything may be in them. */
      readonly shown?: { readonly title?: string; readonly displayName?: string; readonly description?: string }
    }

/** A plan in parts. */
export interface PlanScope {
  readonly filesToCreate: readonly string[]
  readonly filesToModify: readonly string[]
  readonly commands: readonly string[]
  readonly tests: readonly string[]
}

/** What would avoid a question: rules to allow, a mode to switch to, folders to add to the workspace. */
export interface Suggestions {
  readonly rules: readonly Grant[]
  readonly mode?: PermissionMode
  readonly folders?: readonly string[]
}

/** One part of the call: whether it needs consent, and what covers it otherwise. */
export interface QuestionPart {
  readonly text: string
  readonly needsConsent: boolean
  /** The rule, mode or reason that covers it, or why it needs consent. */
  readonly why: string
  /** It sends something to another machine, as `why` says. */
  readonly leaves?: true
  /** The narrowest rule that would cover this part alone; absent if none is needed, or none may be given. */
  readonly rule?: string
}

/** The rules of parts, each once, in the order of the parts. */
export const partRulesOf = ({ parts = [] }: { readonly parts?: readonly QuestionPart[] }): readonly string[] => [
  ...new Set(parts.flatMap(({ rule }) => rule ?? [])),
]

/** Rules that would avoid the question: one for the whole call, or one for each of its parts. */
export const offeredRules = (ask: {
  readonly suggestedRule?: string
  readonly parts?: readonly QuestionPart[]
}): readonly string[] => (ask.suggestedRule === undefined ? partRulesOf(ask) : [ask.suggestedRule])

/**
 * `id` and `key` stay the same after every resume. `digest` covers exactly what is shown: an answer with another
 * digest was given to something else. `agent`: who asks, when it is not the main agent.
 */
export type Question = {
  readonly id: string
  readonly key: string
  readonly digest: string
  readonly ask: QuestionAsk
  readonly agent?: AskingAgent
}

export type Answer =
  /** Allows this call; `grants`, `mode` and `folders` apply from here on; `words`: what the model is to know besides. */
  | {
      readonly kind: "allow"
      readonly words?: string
      readonly updatedInput?: JsonObject
      readonly grants?: readonly Grant[]
      readonly mode?: PermissionMode
      readonly folders?: readonly string[]
      /** For programs: changes of every kind, in this order. Refused ones are reported. */
      readonly updates?: readonly PermissionUpdate[]
      /** One grant, as in logs older than `grants`. */
      readonly remember?: Grant
    }
  /** `words`: what to do instead; `interrupt` ends the turn after the group; `plan`: the plan as the user edited it. */
  | {
      readonly kind: "deny"
      readonly words?: string
      readonly interrupt: boolean
      readonly plan?: string
      /** In a review: what was created stays. */
      readonly keep?: true
    }
  | { readonly kind: "choices"; readonly answers: { readonly [question: string]: string } }
  /**
   * `plan`: the plan as the user edited it; `wishes`: those that are granted; `fresh`: continue with the plan
   * alone; `words`: what the model is to know besides.
   */
  | {
      readonly kind: "approve"
      readonly mode: PermissionMode
      readonly plan?: string
      readonly wishes: readonly string[]
      readonly fresh?: boolean
      readonly words?: string
    }
  | { readonly kind: "elicited"; readonly action: "accept" | "decline" | "cancel"; readonly content?: JsonObject }
  /** No one can be asked, or the question was withdrawn. */
  | { readonly kind: "unanswered"; readonly why: string }

/** Sends what the user said along with an answer to the model, at its next step; once for each call. */
export type AddWords = (callId: string, words: string | undefined) => void

/** The abort reason that withdraws a question: recorded instead of an answer. */
export const withdrawnAs = (why: string): Answer => ({ kind: "unanswered", why })

/** The answer recorded when a signal withdraws a question; `otherwise` if the signal's reason is not an answer. */
export function withdrawal(reason: unknown, otherwise: Answer): Answer {
  const isSaid = typeof reason === "object" && reason !== null && "kind" in reason && "why" in reason
  return isSaid && reason.kind === "unanswered" && typeof reason.why === "string" ? withdrawnAs(reason.why) : otherwise
}

export const questionOf = (id: string, ask: QuestionAsk, agent?: AskingAgent): Question => ({
  id,
  key: keyOf(ask, agent),
  digest: digestOfShown(ask, agent),
  ask,
  ...optional("agent", agent),
})

/** For questions the program asks by itself, without a call. */
export const ownCall = (what: string): string => `${ownPrefix}${what}`
export const isOwn = ({ callId }: QuestionAsk): boolean => callId.startsWith(ownPrefix)
const ownPrefix = "own:"

/** Whether its answer counts for the rest of the session. */
export const isLasting = (ask: QuestionAsk): boolean => ask.kind === "choice" && ask.about !== undefined

/** Deterministic: the `nth` time the same question is asked, from 0, has the same id in every process. */
export const questionId = (key: string, nth: number): string => `q_${digestOf([key, nth]).slice(0, 20)}`

/** Identifies the subject. The same question about the same call has the same key in every process. */
export const keyOf = (ask: QuestionAsk, agent?: AskingAgent): string =>
  digestOf([agent?.id ?? null, ask.callId, ask.kind, subjectOf(ask)])

function subjectOf(ask: QuestionAsk): unknown {
  switch (ask.kind) {
    case "permission":
      // The same call may be asked about for two reasons: by the permissions, and because the plan does not name it.
      return [ask.tool, ask.input, ask.decision.reason.kind === "tool_check" ? ask.decision.reason.check : null]
    case "choice":
      return ask.about === undefined ? ask.questions : [ask.questions, ask.about]
    case "plan":
      return ask.path
    case "elicitation":
      return [ask.server, ask.message, ask.schema, ask.url, ...some(ask.round)]
  }
}

/** Covers what is shown: the reason and the suggestions may change without making it another question. */
function digestOfShown(ask: QuestionAsk, agent?: AskingAgent): string {
  return digestOf([agent?.id ?? null, ask.callId, ask.kind, shown(ask)])
}

function shown(ask: QuestionAsk): unknown {
  switch (ask.kind) {
    case "permission":
      return [
        ask.tool,
        ask.input,
        placesOf(ask),
        ask.display,
        ask.parts?.map(({ text }) => text),
        ask.risks,
        ...some(ask.change),
      ]
    case "plan":
      return [ask.path, ask.plan, ask.wishes, ...some(ask.scope)]
    case "choice":
    case "elicitation":
      return subjectOf(ask)
  }
}

/** Nothing for undefined, so that questions in older logs keep their digest. */
const some = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])

/** Paths may be relative to the working folder, so the resolved ones are part of it. */
const placesOf = ({ cwd, footprint }: QuestionAsk & { readonly kind: "permission" }): unknown => [
  cwd,
  footprint.reads,
  footprint.writes,
]

/** A user, a program on their behalf, or no one. */
export type Answerer = "person" | "client" | "nobody"
