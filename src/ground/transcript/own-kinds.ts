/** The kinds of entries that only Codewright writes, each with the fields it cannot do without. */

import { childStates } from "#agent/words/child.ts"
import { endReasons } from "#agent/words/end.ts"
import { gateNames, testStates } from "#agent/words/gates.ts"
import { goalStates } from "#agent/words/goal.ts"
import { type EntryBody, headWhys, ratings, reviewActs, shrinkRungs } from "#agent/words/entry.ts"
import { grantDestinations, permissionModes } from "#agent/words/permission.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { lazily } from "#lib/lazily.ts"
import { promptBlocks } from "./blocks.ts"

type OwnKind = Exclude<EntryBody["kind"], "prompt" | "attachment" | "reply" | "result">
type Fits = (value: JsonValue | undefined) => boolean
type Needed = { readonly [field: string]: Fits }

/** Whether this is one of our kinds, with all it needs. */
export function isOwnEntry(kind: string, body: JsonObject): boolean {
  const needed = needs().get(kind)
  return needed !== undefined && hasAll(body, needed)
}

const isText: Fits = (value) => typeof value === "string"
const isNumber: Fits = (value) => typeof value === "number"
const maybe =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value)
const isOneOf =
  (values: readonly string[]): Fits =>
  (value) =>
    typeof value === "string" && values.includes(value)
const isListOf =
  (needed: Needed): Fits =>
  (value) =>
    Array.isArray(value) && value.every((one: JsonValue) => isObject(one) && hasAll(one, needed))
/** Asked for most lines of a log: makes no list of the fields each time. */
function hasAll(body: JsonObject, needed: Needed): boolean {
  for (const field in needed) if (!needed[field]?.(body[field])) return false
  return true
}

export const isSeen: Fits = isListOf({
  path: isText,
  state: isText,
  at: isNumber,
  hash: maybe(isText),
  shown: maybe((value) => isObject(value) && isNumber(value.offset)),
})

const isQuestion: Fits = (value) =>
  isObject(value) &&
  isText(value.id) &&
  isObject(value.ask) &&
  isText(value.ask.callId) &&
  isOneOf(["permission", "choice", "plan", "elicitation"])(value.ask.kind)

const isSwitchedGates: Fits = (value) =>
  isObject(value) &&
  Object.entries(value).every(
    ([gate, one]) => isOneOf(gateNames)(gate) && isObject(one) && typeof one.on === "boolean" && maybe(isText)(one.by),
  )

const isListOfTexts = (value: JsonValue | undefined): boolean => Array.isArray(value) && value.every(isText)

const isGoalCheck = (value: JsonValue | undefined): boolean =>
  isObject(value) &&
  ((value.kind === "command" && isText(value.command)) || (value.kind === "sentence" && isText(value.text)))

const isReviewedHunks = (value: JsonValue | undefined): boolean =>
  isListOf({ id: isText, path: isText, change: isText, patch: isText })(value)

/** What cannot be read is not continued. */
const isCallState = (value: JsonValue | undefined): boolean =>
  isObject(value) &&
  (value.type === "sent" ||
    (value.type === "task" && isText(value.taskId)) ||
    (value.type === "asks" && isNumber(value.round) && isObject(value.requests) && maybe(isText)(value.state)))

/** Made for the first log that is read: a new session reads none. */
const needs = lazily((): ReadonlyMap<string, Needed> => new Map(Object.entries(ownKinds())))

const ownKinds = (): { readonly [kind in OwnKind]: Needed } => ({
  queued: {
    content: (value) => promptBlocks(value) !== undefined,
    promptId: isText,
    when: isOneOf(["steer", "queue"]),
  },
  withdrawn: {
    by: isText,
    prompts: isListOf({ promptId: isText, content: (value) => promptBlocks(value) !== undefined }),
  },
  command: { promptId: isText, typed: isText, text: isText },
  reply_end: {
    messageId: isText,
    model: isText,
    stopReason: (value) => value === null || isText(value),
    usage: isObject,
  },
  orphan: { messageId: isText },
  decision: { callId: isText, tool: isText, behavior: isOneOf(["allow", "ask", "deny"]), reason: isObject },
  unsent: { promptId: isText, why: isText },
  seeded: { seen: isSeen },
  connection: {
    why: isText,
    host: isText,
    port: isNumber,
    count: isNumber,
    name: maybe(isText),
    ip: maybe(isText),
    proxy: maybe(isText),
  },
  hook: {
    event: isText,
    matcher: isText,
    name: isText,
    source: isText,
    exit: (value) => value === null || isNumber(value),
    ms: isNumber,
    decision: maybe(isOneOf(["allow", "ask", "defer", "deny"])),
    failure: maybe(isText),
    callId: maybe(isText),
    promptId: maybe(isText),
    said: maybe((value) => isObject(value) && isText(value.about) && isObject(value.meaning)),
  },
  intent: { callId: isText, tool: isText, files: isListOf({ path: isText, before: isText }) },
  question: { question: isQuestion },
  server_call: { callId: isText, server: isText, state: isCallState },
  verdict: { callId: isText, digest: isText, verdict: isOneOf(["allow", "block", "ask"]), why: isText },
  answer: { questionId: isText, answer: isObject, digest: maybe(isText), by: maybe(isText) },
  grant: { rule: isText, destination: isOneOf(grantDestinations) },
  mode: { mode: isOneOf(permissionModes) },
  model: { model: isText },
  thinking: { thinking: (value) => isObject(value) && isOneOf(["off", "auto", "on"])(value.type) },
  budget: {
    budget: (value) => isObject(value) && [value.usd, value.tokens].every((cap) => cap === undefined || isNumber(cap)),
  },
  cwd: { path: isText },
  begun: { opening: isObject },
  folders: { added: isListOfTexts, removed: maybe(isListOfTexts) },
  shrink: { rung: isOneOf([...shrinkRungs, "old_media"]) },
  stub: { stubs: isListOf({ callId: isText, text: isText }) },
  compaction: {
    summary: isText,
    messages: isListOf({ role: isText, content: Array.isArray }),
    standing: isListOf({ kind: isText }),
    said: maybe(isListOf({ message: isNumber, blocks: Array.isArray })),
    added: maybe(isListOf({ message: isNumber, block: isNumber, name: isText, data: maybe(isObject) })),
    files: maybe((value) => Array.isArray(value) && value.every(isText)),
    seen: maybe(isSeen),
    running: maybe((value) => Array.isArray(value) && value.every(isText)),
    upTo: maybe(isText),
    from: maybe(isText),
    covers: maybe(isNumber),
    failure: maybe(isText),
  },
  summary: { text: isText, covers: isNumber },
  spent: { models: isListOf({ model: isText, usage: isObject }), agents: maybe(isObject) },
  head: {
    to: (value) => value === null || isText(value),
    why: isOneOf(headWhys),
    prompt: maybe(isText),
    contextTokens: maybe(isNumber),
  },
  snapshot: { snapshotId: isText, when: isOneOf(["prompt", "before", "after", "restore"]) },
  review: { act: isOneOf(reviewActs), hunks: isReviewedHunks },
  feedback: { rating: isOneOf(ratings), text: maybe(isText), messageId: maybe(isText) },
  title: { text: isText },
  plan: { change: isOneOf(["named", "approved", "rejected", "forgotten"]), slug: isText, path: isText },
  made: {
    callId: isText,
    files: isListOfTexts,
    outcome: (value) => isObject(value) && (isText(value.content) || Array.isArray(value.content)),
  },
  gate: {
    gate: isOneOf(["clarify", "testFirst"]),
    text: maybe(isText),
    state: maybe(isOneOf(testStates)),
    about: maybe(isText),
  },
  gates: { gate: maybe(isOneOf(gateNames)), switched: isSwitchedGates },
  goal: {
    check: isGoalCheck,
    folder: isText,
    limits: (value) =>
      isObject(value) && hasAll(value, { checks: isNumber, steps: isNumber, ms: isNumber, usd: maybe(isNumber) }),
    state: isOneOf(goalStates),
    checks: isNumber,
    steps: isNumber,
    since: isNumber,
    paidBefore: isNumber,
    why: maybe(isText),
  },
  loop: { loopId: isText, everyMs: isNumber, prompt: isText, since: isNumber, nextAt: isNumber, sent: isNumber },
  setup: { system: isListOf({ text: isText }), tools: isListOf({ name: isText }) },
  request: {
    model: isText,
    digest: isText,
    summary: maybe(
      (value) =>
        isObject(value) &&
        hasAll(value, {
          attempt: isNumber,
          question: isText,
          instructions: maybe(isText),
          first: maybe(isNumber),
          ahead: maybe((isAhead) => isAhead === true),
        }),
    ),
  },
  shell: { command: isText, output: isText },
  todo: { todos: isListOf({ content: isText, status: isText, activeForm: isText }), by: maybe(isOneOf(["person"])) },
  team: { team: isText, name: isText, mailTo: isNumber },
  child: {
    agentId: isText,
    agentType: isText,
    description: isText,
    callId: isText,
    state: isOneOf(childStates),
    color: maybe(isText),
    prompt: maybe(isText),
    usage: maybe(
      (value) => isObject(value) && hasAll(value, { tokens: isNumber, toolUses: isNumber, durationMs: isNumber }),
    ),
  },
  turn_start: { turnId: isText },
  turn_end: { turnId: isText, reason: isOneOf(endReasons), output: maybe(isObject) },
  notice: { text: isText },
})
