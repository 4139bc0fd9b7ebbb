/** The only way to reach a person. A question is an entry, so it can wait for days and be answered from anywhere. */

import { digestOf } from "#lib/digest.ts"
import { given } from "#lib/given.ts"
import type { JsonObject } from "#lib/json.ts"
import type { AskingAgent } from "./child.ts"
import type { Footprint } from "./footprint.ts"
import type { Display, FileDiff } from "./display.ts"
import type { Decision, Grant, GrantDestination, PermissionMode } from "./permission.ts"

export type QuestionAsk =
  | {
      readonly kind: "permission"
      readonly callId: string
      readonly tool: string
      readonly title: string
      /** What is asked, naming the action; the thing itself is shown below it. Absent in logs of earlier versions. */
      readonly question?: string
      readonly input: JsonObject
      readonly footprint: Footprint
      /** The working folder, where a command would run in it: the same words do something else in another. */
      readonly cwd?: string
      /** What it would do, to be drawn: the difference an edit would make. */
      readonly display?: Display
      /** How the tool differs from what was allowed, where it does: a yes is a yes to what it is now. */
      readonly change?: FileDiff
      readonly decision: Decision
      /** Why it is asked, in one short line for the user; absent where the rest says it. */
      readonly why?: string
      /** Whether /rewind undoes what the call changes; absent where nobody can tell. */
      readonly undo?: "rewind" | "never"
      /** The parts of a compound command, as written, in order. */
      readonly parts?: readonly QuestionPart[]
      /** What is at risk, one sentence each. */
      readonly risks?: readonly string[]
      /** The one of them that nobody may overlook: it is asked about in every mode. */
      readonly alarm?: string
      /** The narrowest rule that would have spared the question; the person may change it before it is kept. */
      readonly suggestedRule?: string
      /** Where a rule could be kept; none when no rule may be added. */
      readonly destinations?: readonly GrantDestination[]
      /** What an answer could carry along so that the like of it is not asked again; absent when nothing would help. */
      readonly suggestions?: Suggestions
    }
  | {
      readonly kind: "choice"
      readonly callId: string
      readonly questions: readonly {
        readonly question: string
        readonly header: string
        readonly options: readonly { readonly label: string; readonly description: string }[]
        readonly multiSelect: boolean
      }[]
    }
  | {
      readonly kind: "plan"
      readonly callId: string
      /** The plan, as Markdown. */
      readonly plan: string
      readonly path: string
      /** Modes to go on in, the one from before planning first. */
      readonly modes: readonly PermissionMode[]
      /** Kinds of commands the plan wants to run without asking; `covers` says what each would grant, if it grants anything. */
      readonly wishes: readonly { readonly prompt: string; readonly covers?: string }[]
    }
  /** An MCP server wants to know something. */
  | {
      readonly kind: "elicitation"
      /** The call during which it asks; one of its own when that is not known. */
      readonly callId: string
      readonly server: string
      readonly message: string
      /** The form it wants filled in, as JSON Schema. */
      readonly schema?: JsonObject
      /** An address that it wants opened instead. */
      readonly url?: string
    }

/** What would spare a question: rules to allow, a mode to switch to, folders to add to the workspace. */
export interface Suggestions {
  readonly rules: readonly Grant[]
  readonly mode?: PermissionMode
  readonly folders?: readonly string[]
}

/** One part of what is asked about: whether it waits for consent, and what covers it otherwise. */
export interface QuestionPart {
  readonly text: string
  readonly needsConsent: boolean
  /** The rule, the mode or the reason that covers it, or why it needs consent. */
  readonly why: string
  /** The narrowest rule that would cover this part alone; absent where none is needed, or none may be given. */
  readonly rule?: string
}

/**
 * `id` and `key` are the same after every resume. `digest` is that of exactly what is shown: an answer that names another
 * one was given to something else. `agent`: who asks, when it is not the main agent.
 */
export type Question = {
  readonly id: string
  readonly key: string
  readonly digest: string
  readonly ask: QuestionAsk
  readonly agent?: AskingAgent
}

export type Answer =
  /** Allows this call; `grants`, `mode` and `folders` count from here on. */
  | {
      readonly kind: "allow"
      readonly updatedInput?: JsonObject
      readonly grants?: readonly Grant[]
      readonly mode?: PermissionMode
      readonly folders?: readonly string[]
      /** One grant, as logs before `grants` have it. */
      readonly remember?: Grant
    }
  /** `words` is what the person said to do instead; `interrupt` ends the turn after the group; `plan` is the text as they changed it. */
  | { readonly kind: "deny"; readonly words?: string; readonly interrupt: boolean; readonly plan?: string }
  | { readonly kind: "choices"; readonly answers: { readonly [question: string]: string } }
  /** `plan` is the text as the person changed it, `wishes` those that are granted, `fresh` to go on with nothing but the plan. */
  | {
      readonly kind: "approve"
      readonly mode: PermissionMode
      readonly plan?: string
      readonly wishes: readonly string[]
      readonly fresh?: boolean
    }
  /** What a server is told. */
  | { readonly kind: "elicited"; readonly action: "accept" | "decline" | "cancel"; readonly content?: JsonObject }
  /** Nobody can be asked, or the question was withdrawn. */
  | { readonly kind: "unanswered"; readonly why: string }

/** The reason of a signal that withdraws a question: what is recorded instead of an answer. */
export const withdrawnAs = (why: string): Answer => ({ kind: "unanswered", why })

/** What withdrawing a question with a signal comes to; `otherwise` where the signal does not say. */
export function withdrawal(reason: unknown, otherwise: Answer): Answer {
  const isSaid = typeof reason === "object" && reason !== null && "kind" in reason && "why" in reason
  return isSaid && reason.kind === "unanswered" && typeof reason.why === "string" ? withdrawnAs(reason.why) : otherwise
}

export const questionOf = (id: string, ask: QuestionAsk, agent?: AskingAgent): Question => ({
  id,
  key: keyOf(ask, agent),
  digest: digestOfShown(ask, agent),
  ask,
  ...given("agent", agent),
})

/** For questions that no call asks: the program has them of its own accord. */
export const ownCall = (what: string): string => `${ownPrefix}${what}`
export const isOwn = ({ callId }: QuestionAsk): boolean => callId.startsWith(ownPrefix)
const ownPrefix = "own:"

/** The n-th time that the same is asked, from 0: the same question in every process. */
export const questionId = (key: string, nth: number): string => `q_${digestOf([key, nth]).slice(0, 20)}`

/** What a question is about. Whoever asks the same about the same call, in whichever process, has the same key. */
export const keyOf = (ask: QuestionAsk, agent?: AskingAgent): string =>
  digestOf([agent?.id ?? null, ask.callId, ask.kind, subjectOf(ask)])

function subjectOf(ask: QuestionAsk): unknown {
  switch (ask.kind) {
    case "permission":
      // The same call may be asked about for two reasons: by the permissions, and because the plan does not name it.
      return [ask.tool, ask.input, ask.decision.reason.kind === "tool_check" ? ask.decision.reason.check : null]
    case "choice":
      return ask.questions
    case "plan":
      return ask.path
    case "elicitation":
      return [ask.server, ask.message, ask.schema, ask.url]
  }
}

/** The digest of what is shown: why it is asked and what is suggested may change without making it another question. */
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
      return [ask.path, ask.plan, ask.wishes]
    case "choice":
    case "elicitation":
      return subjectOf(ask)
  }
}

/** Absent where there is nothing, so that questions of earlier logs keep their digest. */
const some = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])

/** Paths may be given as they are seen from the working folder, so what they come to is part of it. */
const placesOf = ({ cwd, footprint }: QuestionAsk & { readonly kind: "permission" }): unknown => [
  cwd,
  footprint.reads,
  footprint.writes,
]

/** Who answers: a person, a program that stands for one, or nobody. */
export type Answerer = "person" | "client" | "nobody"
