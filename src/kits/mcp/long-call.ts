/**
 * A call of a server's tool until its end. A server may want something answered first and the same call again, or run the call
 * as a task that is asked about; how far it came is in the log before anything else happens, so that another process continues.
 */

import type { ContinuedCall, ServerCallState } from "#agent/words/server-call.ts"
import type {
  CallOptions,
  CallRequest,
  InputRequired,
  McpCallResult,
  McpConnection,
  McpFailure,
  McpTask,
} from "#ground/mcp/connection.ts"
import { answersTo, endlessRounds, type InputAsker, mostRounds } from "#ground/mcp/input-requests.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface LongCallPorts {
  readonly server: string
  readonly connection: (signal: AbortSignal) => Promise<Result<McpConnection, McpFailure>>
  readonly asker: Pick<InputAsker, "elicit" | "roots">
  readonly clock: Clock
  readonly log: CallLog
}

/** Where it is kept how far calls came. */
export interface CallLog {
  /** How far an earlier process came. */
  readonly continued: (callId: string) => ContinuedCall | undefined
  /** Resolves when it is on disk. */
  readonly keep: (callId: string, server: string, state: ServerCallState) => Promise<Result<void, string>>
  /** The call is over for this process. */
  readonly done: (callId: string) => void
  /** Whether the session is being left and will continue later: nothing is canceled then. */
  readonly isLeaving: () => boolean
}

type CallEnd = Result<McpCallResult, McpFailure>

/** A server that wants the same call again without a question is given some time. */
const againMs = 500

export async function longCall(request: CallRequest, options: CallOptions, ports: LongCallPorts): Promise<CallEnd> {
  const { callId } = request
  const { server, clock, log } = ports
  const before = log.continued(callId)
  if (before?.type === "task") return followTask(before.taskId, callId, options, ports)
  let asked = before
  for (;;) {
    const answers = asked ? await answered(asked, callId, options.signal, ports) : ok({})
    if (!answers.ok) return answers
    const found = await ports.connection(options.signal)
    if (!found.ok) return found
    const got = await found.value.call({ ...request, ...answers.value }, options)
    if (!got.ok) return got
    const reply = got.value
    if (reply.kind === "complete") return ok(reply.result)
    if (reply.kind === "task") {
      await log.keep(callId, server, { type: "task", taskId: reply.task.id })
      return followTask(reply.task.id, callId, options, ports, reply.task)
    }
    const round: number = (asked?.round ?? 0) + 1
    if (round > mostRounds) return failed(endlessRounds)
    asked = { type: "asks", round, requests: reply.requests, ...optional("state", reply.state) }
    await log.keep(callId, server, asked)
    if (Object.keys(reply.requests).length === 0) await clock.sleep(againMs, options.signal)
  }
}

/** The answers that go along with the next call. That it is made is in the log first: it may act now. */
async function answered(
  { requests, state, round }: InputRequired & { readonly round: number },
  callId: string,
  signal: AbortSignal,
  { server, asker, log }: LongCallPorts,
): Promise<Result<{ readonly answers: JsonObject; readonly state?: string }, McpFailure>> {
  const answers = await answersTo(requests, { ...asker, callId, round: String(round) }, signal)
  if (!answers.ok) return answers
  const kept = await log.keep(callId, server, { type: "sent" })
  if (!kept.ok) return failed({ kind: "other", message: `It was not continued: ${kept.failure}` })
  return ok({ answers: answers.value, ...optional("state", state) })
}

const shortestPollMs = 100
const usualPollMs = 1_000
const longestPollMs = 60_000
/** How often in a row a server may not be reached before its task is given up. */
const mostFailures = 5

async function followTask(
  taskId: string,
  callId: string,
  { signal, counts, timeoutMs, onProgress }: CallOptions,
  ports: LongCallPorts,
  seed?: McpTask,
): Promise<CallEnd> {
  const { clock, log } = ports
  const since = clock.now()
  const asked = new Set<string>()
  let task = seed
  let reached: McpConnection | undefined
  let failures = 0
  let lastMessage: string | undefined

  /** Undefined as long as the task goes on. */
  async function step(connection: McpConnection, now: McpTask): Promise<CallEnd | undefined> {
    const end = endOf(now)
    if (end) return end
    if (now.message !== undefined && now.message !== lastMessage) onProgress({ message: (lastMessage = now.message) })
    const open = Object.entries(now.requests ?? {}).filter(([key]) => !asked.has(key))
    if (open.length === 0) return undefined
    const answers = await answersTo(Object.fromEntries(open), { ...ports.asker, callId, round: taskId }, signal)
    if (!answers.ok) return answers
    for (const [key] of open) asked.add(key)
    const sent = await connection.answerTask(taskId, answers.value, signal)
    return sent.ok || isPassing(sent.failure) ? undefined : sent
  }

  for (;;) {
    const found = await ports.connection(signal)
    if (found.ok) reached = found.value
    if (signal.aborted || isLate()) return givenUp()
    const got = found.ok ? (task ? ok(task) : await found.value.getTask(taskId, signal)) : found
    task = undefined
    if (got.ok && found.ok) {
      failures = 0
      const end = await step(found.value, got.value)
      if (signal.aborted) return givenUp()
      if (end) return end
    } else if (!got.ok) {
      if (signal.aborted) return givenUp()
      failures++
      if (failures > mostFailures || !isPassing(got.failure)) return failed(got.failure)
    }
    await clock.sleep(pauseOf(got.ok ? got.value : undefined), signal)
  }

  function isLate(): boolean {
    return counts === "whole" && clock.now() - since > timeoutMs
  }

  function givenUp(): CallEnd {
    if (!log.isLeaving()) reached?.cancelTask(taskId)
    if (signal.aborted) return failed({ kind: "aborted", message: "It was interrupted." })
    return failed({ kind: "timeout", message: `The server did not finish within ${timeoutMs / 1000} s.` })
  }
}

function endOf({ status, result, error }: McpTask): CallEnd | undefined {
  switch (status) {
    case "completed":
      return ok(result ?? { content: [], isError: false })
    case "failed":
      return failed({ kind: "refused", message: `The server says: ${error ?? "no reason given"}` })
    case "cancelled":
      return failed({ kind: "refused", message: "The server canceled it." })
    case "working":
    case "input_required":
      return undefined
  }
}

const isPassing = ({ kind }: McpFailure): boolean => kind === "closed" || kind === "timeout"

const pauseOf = (task: McpTask | undefined): number =>
  Math.min(Math.max(task?.pollMs ?? usualPollMs, shortestPollMs), longestPollMs)
