/** CallsUnderWay under way: each is followed to its result, and what it asks goes to the client in the client's form of the protocol. */

import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { refuse, type Rpc, type RpcError } from "#lib/json-rpc.ts"
import { ok, type Result } from "#lib/result.ts"
import { cannotAsk, type ClientForm, formOf } from "./ask-client.ts"
import type { CallUnderWay } from "./call.ts"
import { errorResult } from "./content.ts"
import type { McpClient } from "./protocol.ts"
import type { OpenQuestion } from "./session-run.ts"

/** A call with what belongs to the request that began it. */
export interface FollowedCall {
  readonly call: CallUnderWay
  /** What was called: a request about anything else cannot continue it. */
  readonly about: string
  /** From now on the request with these parameters waits for it. */
  readonly reportTo: (params: JsonObject) => void
}

/** A call that asked and whose client has to come back with the answer. */
interface ParkedCall {
  readonly followed: FollowedCall
  readonly asked: OpenQuestion
  readonly stopWaiting: () => void
}

/** A client that does not come back must not keep the calls after it waiting for ever. */
const patienceMs = 10 * 60_000

export interface CallsUnderWay {
  /** Until it is done, or has asked a client that has to come back. */
  readonly follow: (followed: FollowedCall, client: McpClient, signal: AbortSignal) => Promise<JsonObject>
  /** The client comes back with an answer. */
  readonly resume: (
    params: JsonObject,
    client: McpClient,
    about: string,
    signal: AbortSignal,
  ) => Promise<Result<JsonObject, RpcError>>
  readonly close: () => void
}

export function openCalls({
  rpc,
  ids,
  clock,
}: {
  readonly rpc: Pick<Rpc, "request">
  readonly ids: Ids
  readonly clock: Clock
}): CallsUnderWay {
  const calls = new Set<CallUnderWay>()
  const waiting = new Map<string, ParkedCall>()
  let isClosed = false

  async function follow(followed: FollowedCall, client: McpClient, signal: AbortSignal): Promise<JsonObject> {
    const { call } = followed
    const cancel = (): void => call.cancel()
    signal.addEventListener("abort", cancel, { once: true })
    if (signal.aborted || isClosed) cancel()
    calls.add(call)
    try {
      for (;;) {
        const step = await call.next()
        if (step.kind === "done") return step.result
        const { asked } = step
        const form = formOf(asked.question, client)
        if (!form) await call.answer(asked, cannotAsk)
        else if (client.asks === "by result") return park(followed, asked, form.params)
        else await answerByRequest(call, asked, form, signal)
      }
    } finally {
      calls.delete(call)
      signal.removeEventListener("abort", cancel)
    }
  }

  async function answerByRequest(
    call: CallUnderWay,
    asked: OpenQuestion,
    form: ClientForm,
    signal: AbortSignal,
  ): Promise<void> {
    const said = await rpc.request("elicitation/create", form.params, {
      signal: AbortSignal.any([signal, asked.closed]),
    })
    // Withdrawn, or answered elsewhere.
    if (asked.closed.aborted || signal.aborted) return
    await call.answer(
      asked,
      said.ok
        ? form.read(said.value)
        : { kind: "unanswered", why: `the MCP client did not answer: ${said.failure.message}` },
    )
  }

  function park(followed: FollowedCall, asked: OpenQuestion, params: JsonObject): JsonObject {
    const { call } = followed
    const requestState = ids.uuid()
    const stopWaiting = clock.after(patienceMs, () => {
      waiting.delete(requestState)
      void call.answer(asked, { kind: "unanswered", why: "the MCP client did not come back with an answer" })
      // Whatever comes of it, nobody is there to read it.
      void (async () => {
        while ((await call.next()).kind === "asks") call.cancel()
      })()
    })
    waiting.set(requestState, { followed, asked, stopWaiting })
    return {
      resultType: "input_required",
      inputRequests: { [asked.question.id]: { method: "elicitation/create", params: withoutMode(params) } },
      requestState,
    }
  }

  async function resume(
    params: JsonObject,
    client: McpClient,
    about: string,
    signal: AbortSignal,
  ): Promise<Result<JsonObject, RpcError>> {
    const { requestState, inputResponses } = params
    const there = typeof requestState === "string" ? waiting.get(requestState) : undefined
    if (!there || typeof requestState !== "string")
      return ok(errorResult("This call no longer waits for an answer. Call the tool again."))
    if (there.followed.about !== about)
      return refuse("params", "requestState belongs to a call with another tool or other arguments.")
    waiting.delete(requestState)
    there.stopWaiting()
    const { followed, asked } = there
    followed.reportTo(params)
    const said = isObject(inputResponses) ? inputResponses[asked.question.id] : undefined
    const form = formOf(asked.question, client)
    await followed.call.answer(
      asked,
      form && isObject(said)
        ? form.read(said)
        : { kind: "unanswered", why: "the MCP client came back without an answer" },
    )
    return ok(await follow(followed, client, signal))
  }

  return {
    follow,
    resume,
    close() {
      isClosed = true
      for (const { stopWaiting } of waiting.values()) stopWaiting()
      for (const call of calls) call.cancel()
    },
  }
}

/** The new form has no modes but pages: forms are what a request is without one. */
const withoutMode = (params: JsonObject): JsonObject => {
  const { elicitationId: _unused, ...rest } = params
  return rest
}
