/** Asks about a host that a confined command wants to reach and no rule covers: once, however many connections wait. */

import { reaches } from "#agent/words/footprint.ts"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import { type Answer, offeredRules, ownCall, type QuestionAsk, withdrawnAs } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"
import type { Grants } from "./grants.ts"
import type { Judging } from "./judging.ts"
import { parseRules } from "./rules/rule.ts"

export interface HostWanted {
  readonly host: string
  readonly port?: number
  readonly callId?: string
}

/** `signal` aborts when the connection was given up. */
export type AskForHost = (wanted: HostWanted, signal: AbortSignal) => Promise<"allow" | "deny">

export interface HostPorts {
  readonly judge: Judging["judge"]
  readonly mode: () => PermissionMode
  readonly grants: Pick<Grants, "destinations" | "remember" | "onChange">
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  readonly commandOf: (callId: string) => string | undefined
}

/** An open question, with everyone who waits for its answer. */
interface OpenHostQuestion {
  readonly verdict: Promise<"allow" | "deny">
  readonly join: (wanted: HostWanted, signal: AbortSignal) => void
}

export function openHostQuestions({ judge, mode, grants, ask, commandOf }: HostPorts): AskForHost {
  const open = new Map<string, OpenHostQuestion>()
  /** Answers for the session, by host. */
  const settled = new Map<string, "allow" | "deny">()
  /** Calls that may reach a host this once. */
  const once = new Set<string>()
  const onceKey = (callId: string, host: string): string => `${callId} ${host}`

  function known({ host, port, callId }: HostWanted): "allow" | "deny" | undefined {
    const url = addressOf(host, port)
    const decision = judge({ tool: { name: "WebFetch" }, input: { url }, footprint: reaches(url) }, mode())
    if (decision.behavior === "deny") return "deny"
    if (opens(decision)) return "allow"
    if (callId !== undefined && once.has(onceKey(callId, host))) return "allow"
    return settled.get(host)
  }

  function begin(first: HostWanted): OpenHostQuestion {
    const { host } = first
    const calls = new Set<string>()
    const withdraw = new AbortController()
    let waiting = 0
    const withdrawIfSettled = (): void => {
      if (known(first) !== undefined) withdraw.abort(withdrawnAs("a rule that was added meanwhile decides"))
    }
    const stop = grants.onChange(withdrawIfSettled)

    async function decided(): Promise<"allow" | "deny"> {
      try {
        const question = questionAbout(first, commandOf, grants)
        return taken(await ask(question, withdraw.signal), offeredRules(question))
      } finally {
        stop()
        open.delete(host)
      }
    }

    function taken(answer: Answer, offered: readonly string[]): "allow" | "deny" {
      if (answer.kind === "deny") settled.set(host, "deny")
      if (answer.kind !== "allow") return known(first) ?? "deny"
      const { grants: granted = [], remember } = answer
      const lasting = remember ? [...granted, remember] : granted
      for (const grant of lasting) grants.remember(grant, offered)
      if (lasting.length > 0) settled.set(host, "allow")
      for (const callId of calls) once.add(onceKey(callId, host))
      return "allow"
    }

    return {
      verdict: decided(),
      join({ callId }, signal) {
        if (callId !== undefined) calls.add(callId)
        waiting++
        const left = (): void => {
          if (--waiting === 0) withdraw.abort(withdrawnAs("the command no longer waits for it"))
        }
        if (signal.aborted) left()
        else signal.addEventListener("abort", left, { once: true })
      },
    }
  }

  return async (wanted, signal) => {
    if (signal.aborted) return "deny"
    const before = known(wanted)
    if (before !== undefined) return before
    const question = open.get(wanted.host) ?? begin(wanted)
    open.set(wanted.host, question)
    question.join(wanted, signal)
    return question.verdict
  }
}

/** Whether a decision about fetching a page also opens its host: by the mode, or by a user's rule that names it. */
function opens({ behavior, reason }: Decision): boolean {
  if (behavior !== "allow") return false
  if (reason.kind === "mode") return true
  return reason.kind === "rule" && reason.source !== "project settings" && /\(domain:(?!\*\)$)/.test(reason.rule)
}

function questionAbout(
  { host, port, callId }: HostWanted,
  commandOf: HostPorts["commandOf"],
  { destinations }: Pick<Grants, "destinations">,
): QuestionAsk & { readonly kind: "permission" } {
  const place = port === undefined || port === 443 ? host : `${host}:${port}`
  const command = callId === undefined ? undefined : commandOf(callId)
  const rule = `WebFetch(domain:${host})`
  const isRule = parseRules([{ behavior: "allow", text: rule, source: "session" }]).rules.length > 0
  // Hooks and servers in the sandbox belong to no call.
  const who = command === undefined ? "A hook or a server" : "This command"
  const why = `${who} runs in the sandbox, and no rule allows this host yet.`
  return {
    kind: "permission",
    callId: callId === undefined || command === undefined ? ownCall("sandbox") : callId,
    tool: "Bash",
    title: `Connect to ${place}`,
    question: `Connect to ${place}?`,
    input: optional("command", command),
    footprint: reaches(addressOf(host, port)),
    decision: {
      behavior: "ask",
      reason: { kind: "tool_check", check: `it would connect to ${host}` },
      message: why,
      trace: [`the sandbox: ask, because nothing allows ${host}`],
    },
    why,
    ...(isRule && destinations.length > 0 && { suggestedRule: rule, destinations }),
  }
}

const addressOf = (host: string, port = 443): string =>
  `https://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}${port === 443 ? "" : `:${port}`}/`
