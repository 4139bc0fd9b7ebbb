/** Auto mode: a small model answers instead of the user. It only avoids questions within the limits of the rules, and fails closed. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { type Follower, byKind } from "#agent/words/follower.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import type { Call } from "#agent/words/middleware.ts"
import { requestText } from "#agent/words/prompt-text.ts"
import type { Clock } from "#lib/clock.ts"
import { digestOf } from "#lib/digest.ts"
import { isObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import { firstPass, secondPass } from "./auto-words.ts"
import type { PermissionRule } from "./rules/rule.ts"
import { ruleText } from "./rules/rule.ts"

export type AskSmallModel = (
  prompt: { readonly system: string; readonly user: string },
  signal: AbortSignal,
) => Promise<Result<string, string>>

/** `ask`: the user has to answer after all, and why; `undecided` if the classifier gave no answer at all. */
export type AutoVerdict =
  | { readonly kind: "allow"; readonly why: string }
  | { readonly kind: "block"; readonly why: string }
  | { readonly kind: "ask"; readonly why: string; readonly undecided?: true }

/** Learns prompts, calls and decisions; survives a resume. */
export interface Auto extends Follower {
  readonly judge: (call: Call, rules: readonly PermissionRule[]) => Promise<AutoVerdict>
}

const mostInARow = 3
const mostInASession = 20
const patienceMs = 20_000
/** A classifier that cannot be reached is left alone for so long: every call would wait for it. */
const pauseMs = 60_000
const recentCalls = 20
const longestText = 4_000

export function openAuto({
  ask,
  cwd,
  clock,
  record,
}: {
  readonly ask: AskSmallModel
  /** A verdict about a command in one folder does not apply in another. */
  readonly cwd: () => string
  readonly clock: Clock
  readonly record: (body: Extract<EntryBody, { readonly kind: "verdict" }>) => void
}): Auto {
  /** Verdicts by call: one that is restarted after a resume is not classified again. */
  const said = new Map<string, AutoVerdict>()
  let request = ""
  let calls: readonly ToolUseBlock[] = []
  let approved = new Set<string>()
  let inARow = 0
  let all = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  const forgetApproved = (): void => void (approved = new Set())

  async function judge(call: Call, rules: readonly PermissionRule[]): Promise<AutoVerdict> {
    const digest = digestOf(keyOf(call, cwd()))
    const before = said.get(`${call.callId} ${digest}`)
    if (before) return before
    const verdict = await classify(call, rules)
    // Before it takes effect, and not if nobody waits for it any more.
    if (!call.signal.aborted)
      record({
        kind: "verdict",
        callId: call.callId,
        tool: call.tool.name,
        digest,
        verdict: verdict.kind,
        why: verdict.why,
        title: call.tool.title(call.parsed),
      })
    return verdict
  }

  async function classify(call: Call, rules: readonly PermissionRule[]): Promise<AutoVerdict> {
    if (inARow >= mostInARow) return { kind: "ask", why: `${mostInARow} calls in a row were blocked` }
    if (all >= mostInASession) return { kind: "ask", why: `${mostInASession} calls of this session were blocked` }
    const key = keyOf(call, cwd())
    if (approved.has(key)) return { kind: "allow", why: "the same call was approved before" }
    if (clock.now() < pausedUntil) return { kind: "ask", why: "the classifier cannot be reached", undecided: true }
    const user = described(call, { request, calls, rules: rules.map((rule) => `${rule.behavior} ${ruleText(rule)}`) })
    const first = await within(call.signal, (signal) => ask({ system: firstPass, user }, signal))
    // With no word of the classifier at all, nothing speaks against the call but the rules.
    if (first.kind === "ask") return { ...first, undecided: true }
    const verdict =
      first.kind === "block" ? await within(call.signal, (signal) => ask({ system: secondPass, user }, signal)) : first
    if (verdict.kind === "allow") approved.add(key)
    return verdict
  }

  /** One request with a time limit; anything but a clear answer goes to the user. */
  async function within(
    outer: AbortSignal,
    send: (signal: AbortSignal) => Promise<Result<string, string>>,
  ): Promise<AutoVerdict> {
    const late = new AbortController()
    const cancel = clock.after(patienceMs, () => late.abort())
    const answer = await send(AbortSignal.any([outer, late.signal]))
    cancel()
    if (late.signal.aborted || (!answer.ok && !outer.aborted)) pausedUntil = clock.now() + pauseMs
    if (late.signal.aborted) return { kind: "ask", why: "the classifier took too long" }
    if (!answer.ok) return { kind: "ask", why: `the classifier failed: ${answer.failure}` }
    return readVerdict(answer.value) ?? { kind: "ask", why: "the classifier gave no clear answer" }
  }

  return {
    judge,
    onEntry: byKind({
      // They were given with context that is gone after these.
      shrink: forgetApproved,
      compaction: forgetApproved,
      head: forgetApproved,
      decision: count,
      verdict: ({ callId, digest, verdict, why }) => void said.set(`${callId} ${digest}`, { kind: verdict, why }),
    }),
    conversation: {
      reset() {
        request = ""
        calls = []
      },
      onEntry: byKind({
        prompt: (entry) => void (request = requestText(entry).slice(0, longestText)),
        reply: remember,
      }),
    },
  }

  function remember({ block }: Entry & { kind: "reply" }): void {
    if (block.type === "tool_use") calls = [...calls, block].slice(-recentCalls)
  }

  function count({ behavior, reason }: Entry & { kind: "decision" }): void {
    if (reason.kind === "classifier" && behavior === "deny") {
      inARow++
      all++
    } else if (reason.kind === "classifier" || reason.kind === "person") inARow = 0
  }
}

const keyOf = ({ tool, input, footprint }: Call, cwd: string): string =>
  JSON.stringify([tool.name, input, footprint, cwd])

const short = ({ name, input }: ToolUseBlock): string => `${name} ${JSON.stringify(input).slice(0, 500)}`

/** The call and what led to it as data. Tool outputs are left out: others may have written them to persuade. */
function described(
  { tool, input, footprint }: Call,
  known: { readonly request: string; readonly calls: readonly ToolUseBlock[]; readonly rules: readonly string[] },
): string {
  return JSON.stringify({
    user_request: known.request,
    earlier_calls: known.calls.map(short),
    permission_rules: known.rules,
    call: { tool: tool.name, input: JSON.stringify(input).slice(0, longestText * 2), touches: footprint },
  })
}

/** The last object in the text that says whether to block; undefined if there is none. */
function readVerdict(text: string): AutoVerdict | undefined {
  for (const [found] of [...text.matchAll(/\{[^{}]*\}/g)].toReversed()) {
    const value = parsed(found)
    if (!isObject(value) || typeof value.block !== "boolean") continue
    const why =
      typeof value.reason === "string" && value.reason.trim() !== ""
        ? value.reason.trim().slice(0, 500)
        : "no reason given"
    return { kind: value.block ? "block" : "allow", why }
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
