/** A session driven by a client: messages and requests in, messages and requests out, until the client is done. */

import type { Result } from "#lib/result.ts"
import { clientOver } from "./client.ts"
import { failure, introducing } from "./control.ts"
import { converse } from "./converse.ts"
import type { ControlRequest, Inbound } from "./inbound.ts"
import { type Initialize, readInitialize } from "./initialize.ts"
import { type InboundQueue, openInboundQueue } from "./inbound-queue.ts"
import { openPace } from "./pace.ts"
import type { SdkRun } from "./parts.ts"
import { openRequests } from "./requests.ts"

/** Gives the exit code: 1 after an error or a last result that is one. */
export async function runSdk(run: SdkRun): Promise<number> {
  const { send } = run
  const requests = openRequests({ send, ids: run.ids })
  const pace = openPace(run.clock)
  const inbound = openInboundQueue(run.input, requests)
  const first = await inbound.first()
  if (!first) return inbound.failure() === undefined ? 0 : refuse(run, inbound)
  const asked = readFirst(first)
  if (!asked.ok) {
    if (first.kind === "request") send(failure(first.id, { error: `initialize: ${asked.failure}` }))
    run.warn(`The client's initialize request cannot be used: ${asked.failure}.`)
    return 1
  }
  const opened = await run.open(asked.value, clientOver(requests, pace))
  if (!opened.ok) {
    if (first.kind === "request") send(failure(first.id, { error: opened.failure }))
    return 1
  }
  const introduced = isInitialize(first)
    ? (response: object) => send(introducing(first.id, response, requests))
    : () => {}
  const pending = isInitialize(first) ? [] : [first]
  const said = isInitialize(first) ? first.request : {}
  const messageOptions = { ...run.messageOptions, ...(asked.value.forwardSubagentText && { agentText: true }) }
  try {
    const code = await converse({
      ...run,
      ...opened.value,
      send,
      requests,
      pace,
      inbound,
      held: pending,
      asked: said,
      introduced,
      messageOptions,
    })
    return inbound.failure() === undefined ? code : refuse(run, inbound)
  } finally {
    requests.end("The session has ended.")
    await opened.value.close()
  }
}

const isInitialize = (message: Inbound): message is ControlRequest =>
  message.kind === "request" && message.subtype === "initialize"

const readFirst = (message: Inbound): Result<Initialize, string> =>
  isInitialize(message) ? readInitialize(message.request) : { ok: true, value: {} }

function refuse({ warn }: SdkRun, inbound: InboundQueue): number {
  warn(`The input was not understood: ${inbound.failure() ?? ""}. Send one JSON message a line.`)
  return 1
}
