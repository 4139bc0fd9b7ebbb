/** What a lead and a member in another process say to each other over their link, and how each message is checked when it arrives. */

import type { Budget } from "#agent/words/budget.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import { type GateFact, testStates } from "#agent/words/gates.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Usage } from "#agent/words/model.ts"
import { type Grant, grantDestinations, type PermissionUpdate, permissionModes } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { promptBlocks } from "#ground/transcript/blocks.ts"
import { isOwnEntry } from "#ground/transcript/own-kinds.ts"
import type { BudgetAsk, BudgetRefusal } from "#kits/budget/ledger.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import {
  array,
  boolean,
  choice,
  decoded,
  type FieldsOf,
  int,
  type KindsOf,
  number,
  object,
  omittable,
  type Read,
  type Readable,
  string,
  tagged,
} from "#lib/shape.ts"
import { type Inherited, readInherited } from "#session/opening/inherited.ts"
import type { Wider } from "#session/opening/widen.ts"

const behavior = choice(["allow", "ask", "deny"])
const mode = choice(permissionModes)
const destination = choice(grantDestinations)
const anyObject = decoded("an object", (value) => (isObject(value) ? value : undefined))
const onlyTrue = decoded("true", (value) => (value === true ? value : undefined))
const budget = object({ usd: omittable(number()), tokens: omittable(number()) } satisfies FieldsOf<Budget>)
const grant = object({ rule: string(), destination, behavior: omittable(behavior) } satisfies FieldsOf<Grant>)

const update = tagged("kind", {
  rules: { act: choice(["add", "replace", "remove"]), behavior, rules: array(string()), destination },
  mode: { mode, destination },
  folders: { act: choice(["add", "remove"]), folders: array(string()), destination },
} satisfies KindsOf<"kind", PermissionUpdate>)

const fact: Readable<GateFact> = tagged("gate", {
  clarify: { text: string(), asked: boolean() },
  testFirst: { state: choice(testStates), about: string() },
} satisfies KindsOf<"gate", GateFact>)

const budgetAsk = object({
  who: string(),
  model: string(),
  inputTokens: number().min(0),
  maxOutput: number().min(0),
  leastOutput: omittable(number().min(0)),
  searches: omittable(number().min(0)),
} satisfies FieldsOf<BudgetAsk>)

const count = number().min(0)
const usage = object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  web_search_requests: omittable(count),
} satisfies FieldsOf<Usage>)

/** As a line of a log with it would be checked. */
const questionAsk = decoded("a question", (ask) =>
  isObject(ask) && isOwnEntry("question", { question: { id: "", ask } }) ? (ask as unknown as QuestionAsk) : undefined,
)

const answerShape: Readable<Answer> = tagged("kind", {
  allow: {
    words: omittable(string()),
    updatedInput: omittable(anyObject),
    grants: omittable(array(grant)),
    mode: omittable(mode),
    folders: omittable(array(string())),
    updates: omittable(array(update)),
    remember: omittable(grant),
  },
  deny: {
    words: omittable(string()),
    interrupt: boolean(),
    plan: omittable(string()),
    keep: omittable(onlyTrue),
  },
  choices: { answers: decoded("answers", textsIn) },
  approve: {
    mode,
    plan: omittable(string()),
    wishes: array(string()),
    fresh: omittable(boolean()),
    words: omittable(string()),
  },
  elicited: { action: choice(["accept", "decline", "cancel"]), content: omittable(anyObject) },
  unanswered: { why: string() },
} satisfies KindsOf<"kind", Answer>)

const refusal: Readable<BudgetRefusal> = tagged("kind", {
  over_cap: { message: string(), enough: budget, held: omittable(choice(["here", "others"])) },
  no_price: { message: string(), model: string() },
  agent_cap: { message: string() },
} satisfies KindsOf<"kind", BudgetRefusal>)

const agent = object({
  id: string(),
  type: string(),
  name: omittable(string()),
  folder: omittable(string()),
} satisfies FieldsOf<AskingAgent>)

/** What a member sends. Those with a number are answered under it. */
export type FromMember =
  | {
      readonly kind: "ask"
      readonly number: number
      readonly ask: QuestionAsk
      readonly agent?: AskingAgent
    }
  | { readonly kind: "reserve"; readonly number: number; readonly ask: BudgetAsk }
  | { readonly kind: "over_budget"; readonly number: number; readonly ask: BudgetAsk }
  | { readonly kind: "settle"; readonly reservation: number; readonly usage: Usage }
  | { readonly kind: "release"; readonly reservation: number }
  | { readonly kind: "returned"; readonly number: number }
  | { readonly kind: "grant"; readonly grant: Grant }
  | ({ readonly kind: "widen" } & Wider)
  | { readonly kind: "update"; readonly number: number; readonly updates: readonly PermissionUpdate[] }
  | { readonly kind: "gate"; readonly fact: GateFact }
  | { readonly kind: "warn"; readonly text: string }
  /** Nobody waits for the answer any more. */
  | { readonly kind: "cancel"; readonly number: number }

const fromMember: Readable<FromMember> = tagged("kind", {
  ask: { number: int(), ask: questionAsk, agent: omittable(agent) },
  reserve: { number: int(), ask: budgetAsk },
  settle: { reservation: int(), usage },
  release: { reservation: int() },
  returned: { number: int() },
  over_budget: { number: int(), ask: budgetAsk },
  grant: { grant },
  widen: { mode: omittable(mode), folders: omittable(array(string())) },
  update: { number: int(), updates: array(update) },
  gate: { fact },
  warn: { text: string() },
  cancel: { number: int() },
} satisfies KindsOf<"kind", FromMember>)

/** The answer to a call of a member. */
export type LeadReply =
  | { readonly kind: "answer"; readonly number: number; readonly answer: Answer }
  | { readonly kind: "reserved"; readonly number: number; readonly reservation: number; readonly maxOutput: number }
  | { readonly kind: "refused"; readonly number: number; readonly refusal: BudgetRefusal }
  | { readonly kind: "done"; readonly number: number; readonly then?: "again" | "stop" }

/** What a lead sends by itself. */
export type LeadOrder =
  | { readonly kind: "inherited"; readonly inherited: Inherited }
  | {
      readonly kind: "prompt"
      readonly id: string
      readonly content: readonly PromptBlock[]
      readonly when: "steer" | "queue"
    }
  | { readonly kind: "stop_command"; readonly commandId: string }
  | { readonly kind: "end"; readonly how: MemberEnd }

/** How the work of a member's process ends: the member leaves the team, or keeps its place for the next time. */
export type MemberEnd = "leaves" | "closes"

const fromLead: Readable<LeadReply | LeadOrder> = tagged("kind", {
  inherited: { inherited: decoded("what is inherited", readInherited) },
  answer: { number: int(), answer: answerShape },
  reserved: { number: int(), reservation: int(), maxOutput: number() },
  refused: { number: int(), refusal },
  done: { number: int(), then: omittable(choice(["again", "stop"])) },
  prompt: {
    id: string(),
    content: decoded("the content of a prompt", promptBlocks),
    when: choice(["steer", "queue"]),
  },
  stop_command: { commandId: string() },
  end: { how: choice(["leaves", "closes"]) },
} satisfies KindsOf<"kind", LeadReply | LeadOrder>)

export const readFromMember = (message: JsonObject): Read<FromMember> => fromMember.read(message, "")
export const readFromLead = (message: JsonObject): Read<LeadReply | LeadOrder> => fromLead.read(message, "")

function textsIn(value: unknown): { readonly [question: string]: string } | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const texts = Object.entries(value).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as const] : [],
  )
  return texts.length === Object.keys(value).length ? Object.fromEntries(texts) : undefined
}
