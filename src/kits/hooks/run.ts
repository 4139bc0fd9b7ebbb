/** Runs one hook: a program, a request, or a question to a model. However it ends, there is an answer. */

import type { HookProgram, HookCommand } from "#ground/hooks/program.ts"
import type { Client } from "#agent/words/client.ts"
import type { Posted } from "#ground/web/post.ts"
import type { Fed, FedEnd, Feeding } from "#ground/workspace/processes/feed.ts"
import { type ProcessFailure, sayProcess } from "#ground/workspace/processes/process-groups.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, type Result } from "#lib/result.ts"
import { callBack } from "./client-hooks.ts"
import type { ConfiguredHook, HookWork } from "./config.ts"
import { type AskJudge, judge, type Question } from "./judge.ts"
import { type HookResult, interrupted } from "./meaning.ts"
import { filledFrom } from "./fill.ts"
import { asyncAnswer } from "./outcome.ts"

export interface RunPorts {
  readonly cwd: () => string
  /** `callId`: the call that the moment is about. */
  readonly env: (
    hook: Pick<ConfiguredHook, "event" | "plugin" | "variables">,
    callId?: string,
  ) => Readonly<Record<string, string>>
  readonly program: (
    command: HookCommand,
    place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ) => Result<HookProgram, string>
  /** Starts it, in the sandbox if settings say so. */
  readonly feed: (feeding: Feeding) => Promise<Result<FedHook, ProcessFailure>>
  readonly post: (posting: HookPosting, signal: AbortSignal) => Promise<Result<Posted, string>>
  /** One question to the small model. Absent where no model answers. */
  readonly ask?: AskJudge
  readonly runAgent?: (prompt: string, signal: AbortSignal) => Promise<Result<string, string>>
  /** Present where a client drives the session. */
  readonly callback?: Client["hook"]
  /** Calls a tool of a connected server and gives its text. Absent where there are no servers. */
  readonly callTool?: (
    call: { readonly server: string; readonly tool: string; readonly input: JsonObject },
    signal: AbortSignal,
  ) => Promise<Result<string, string>>
  readonly clock: Clock
}

export interface FedHook extends Omit<Fed, "ended"> {
  readonly ended: Promise<FedHookEnd>
}

export interface FedHookEnd extends FedEnd {
  /** What the sandbox denied, each attempt in a few words. */
  readonly refused?: readonly string[]
  /** The sandbox failed, and the program did not run. */
  readonly failure?: ProcessFailure | undefined
}

export interface HookPosting {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isProject: boolean
  readonly event: string
}

export interface Running {
  readonly ended: Promise<HookResult>
  /** It printed that it continues in the background; undefined if it ends, or prints something else first. */
  readonly goesOn: Promise<{ readonly timeoutMs?: number } | undefined>
  /** From now on it has this much time, and a new signal to end it. */
  readonly letGo: (timeoutMs: number, signal: AbortSignal) => void
}

export interface RunLimit {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Hears what a program prints, as it comes. */
  readonly onOutput?: Feeding["onOutput"]
}

/** However much a hook prints, only this much is kept. */
const mostBytes = 1_000_000

export function startHook(
  ports: RunPorts,
  hook: Pick<ConfiguredHook, "event" | "work" | "isProject" | "plugin" | "variables">,
  input: JsonObject,
  limit: RunLimit,
): Running {
  const { work } = hook
  switch (work.type) {
    case "command":
      return startCommand(ports, hook, work, input, limit)
    case "http":
      return waitedFor(ports, limit, (signal) => postTo(ports, { ...hook, work }, input, signal))
    case "prompt":
      return waitedFor(ports, limit, (signal) => judge(ports.ask, work.prompt, input, signal))
    case "agent":
      return waitedFor(ports, limit, (signal) => {
        const { runAgent } = ports
        const ask =
          runAgent && (({ system, user }: Question, end: AbortSignal) => runAgent(`${system}\n\n${user}`, end))
        return judge(ask, work.prompt, input, signal)
      })
    case "mcp_tool":
      return waitedFor(ports, limit, (signal) => callServerTool(ports, work, input, signal))
    case "callback":
      return waitedFor(ports, limit, (signal) => callBack(ports.callback, work.callbackId, input, signal))
    case "broken":
      return over({ kind: "failed", why: `it ${work.why.replace(/\.$/, "")}` })
  }
}

function startCommand(
  ports: RunPorts,
  hook: Pick<ConfiguredHook, "event" | "plugin" | "variables">,
  work: HookWork & { readonly type: "command" },
  input: JsonObject,
  limit: RunLimit,
): Running {
  const { tool_use_id: callId } = input
  const place = { cwd: ports.cwd(), env: ports.env(hook, typeof callId === "string" ? callId : undefined) }
  const program = ports.program(work, place)
  if (!program.ok) return over({ kind: "failed", why: program.failure })
  const feeding = { ...program.value, ...place, ...limit, input: `${JSON.stringify(input)}\n`, mostBytes }
  const starting = ports
    .feed(feeding)
    .catch((error: unknown) => failed({ kind: "other", message: String(error) } as const))
  let timeoutMs = limit.timeoutMs
  const goesOn = starting.then(async (fed) => {
    const line = fed.ok ? await fed.value.firstLine : undefined
    return line === undefined ? undefined : asyncAnswer(line)
  })

  async function ended(): Promise<HookResult> {
    const fed = await starting
    if (!fed.ok) return notStarted(fed.failure)
    const [end, beside] = await Promise.all([fed.value.ended, goesOn])
    return ranOf(end, timeoutMs, beside !== undefined)
  }

  return {
    ended: ended(),
    goesOn,
    letGo(longer, signal) {
      timeoutMs = longer
      void starting.then((fed) => (fed.ok ? fed.value.letGo(longer, signal) : undefined))
    },
  }
}

const notStarted = (failure: ProcessFailure): HookResult =>
  failure.kind === "unconfined"
    ? {
        kind: "failed",
        why: `it did not run, because the sandbox does not work: ${failure.why}. ${failure.fix.replace(/\.$/, "")}`,
        isUnconfined: true,
      }
    : { kind: "failed", why: lowered(sayProcess(failure)) }

function ranOf(ended: FedHookEnd, timeoutMs: number, isBeside: boolean): HookResult {
  const { end, exitCode, signal, stdout, stderr, isCut, refused = [], failure } = ended
  if (failure) return notStarted(failure)
  if (end === "timed_out") return { kind: "failed", why: `it did not end within ${timeoutMs / 1000} s`, isLate: true }
  if (end === "aborted") return interrupted
  if (exitCode === null) return { kind: "failed", why: `it was ended by ${signal ?? "a signal"}` }
  const printed = textOf(stdout)
  // The first line only announced the answer.
  const answer = isBeside ? printed.slice(printed.indexOf("\n") + 1) : printed
  return {
    kind: "exited",
    exit: exitCode,
    stdout: answer,
    stderr: textOf(stderr),
    isCut,
    ...(refused.length > 0 && { refused }),
  }
}

/** Invalid bytes become replacement characters, so that any output can be read and kept. */
const textOf = (bytes: Uint8Array): string => (bytes.length === 0 ? "" : new TextDecoder("utf-8").decode(bytes))

type HttpWork = HookWork & { readonly type: "http" }

async function postTo(
  { post, env }: RunPorts,
  {
    isProject,
    work,
    ...hook
  }: Pick<ConfiguredHook, "event" | "isProject" | "plugin" | "variables"> & { readonly work: HttpWork },
  input: JsonObject,
  signal: AbortSignal,
): Promise<HookResult> {
  const { url, headers, variables } = work
  const known = env(hook)
  const filled = Object.entries(headers).map(([name, text]) => [
    name,
    text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const variable = braced ?? bare ?? ""
      return variables.includes(variable) ? (known[variable] ?? "") : ""
    }),
  ])
  const body = JSON.stringify(input)
  const posted = await post({ url, headers: Object.fromEntries(filled), body, isProject, event: hook.event }, signal)
  if (!posted.ok) return { kind: "failed", why: posted.failure }
  const { status, text } = posted.value
  if (status < 200 || status > 299) return { kind: "failed", why: `its address answered with status ${status}` }
  return { kind: "exited", exit: 0, stdout: text, stderr: "", isCut: false }
}

async function callServerTool(
  { callTool }: Pick<RunPorts, "callTool">,
  work: HookWork & { readonly type: "mcp_tool" },
  moment: JsonObject,
  signal: AbortSignal,
): Promise<HookResult> {
  if (!callTool) return { kind: "failed", why: "there are no MCP servers here" }
  const answered = await callTool({ ...work, input: filledFrom(work.input, moment) }, signal)
  if (signal.aborted) return interrupted
  if (!answered.ok) return { kind: "failed", why: answered.failure }
  return { kind: "exited", exit: 0, stdout: answered.value, stderr: "", isCut: false }
}

/** Work without a process ends by a signal of our own, which can be replaced. */
function waitedFor(
  { clock }: RunPorts,
  limit: { readonly timeoutMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<HookResult>,
): Running {
  const own = new AbortController()
  const onAbort = (): void => own.abort()
  let release = (): void => {}
  const follow = (signal: AbortSignal): void => {
    release()
    signal.addEventListener("abort", onAbort, { once: true })
    release = () => signal.removeEventListener("abort", onAbort)
    if (signal.aborted) own.abort()
  }
  follow(limit.signal)
  let isLate = false
  const cancel = clock.after(limit.timeoutMs, () => {
    isLate = true
    own.abort()
  })
  const ended = work(own.signal).catch((error: unknown): HookResult => ({
    kind: "failed",
    why: String(error),
  }))
  const finished = (ran: HookResult): HookResult => {
    cancel()
    release()
    if (!isLate || ran.kind !== "failed") return ran
    return { kind: "failed", why: `it did not answer within ${limit.timeoutMs / 1000} s`, isLate: true }
  }
  return { ended: ended.then(finished), goesOn: Promise.resolve(undefined), letGo: (_ms, signal) => follow(signal) }
}

const over = (ran: HookResult): Running => ({
  ended: Promise.resolve(ran),
  goesOn: Promise.resolve(undefined),
  letGo: () => {},
})

const lowered = (sentence: string): string =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, "")
