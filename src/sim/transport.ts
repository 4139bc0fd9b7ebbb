/** Bytes in and out: reads a body, writes an answer when it is due, and ends the connection as told. */

import type { IncomingMessage, ServerResponse } from "node:http"
import type { Clock } from "#lib/clock.ts"
import type { Answer } from "./answer.ts"

const mostBodyBytes = 32 * 1024 * 1024
/** Writes are batched up to about this many characters. */
const writeChars = 64 * 1024
/**
 * Before a reset, so that what was written is read and not thrown away with the connection. In several turns: one wait
 * would be over before a client in a busy process had its turn.
 */
const lingerMs = 5
const lingerTurns = 5

async function linger({ clock, signal }: Waiting): Promise<void> {
  for (let turn = 0; turn < lingerTurns; turn++) await clock.sleep(lingerMs, signal)
}

export type Body =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "too_large" } | { readonly kind: "gone" }

export function readBody(incoming: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length
      // What is too large is still read to its end, so that the client hears the refusal.
      if (size <= mostBodyBytes) chunks.push(chunk)
    })
    incoming.on("end", () =>
      resolve(size > mostBodyBytes ? { kind: "too_large" } : { kind: "text", text: Buffer.concat(chunks).toString() }),
    )
    incoming.on("error", () => resolve({ kind: "gone" }))
    incoming.on("close", () => resolve({ kind: "gone" }))
  })
}

/** Resolves when the answer is sent, or when the client is gone. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  { clock, requestId }: { readonly clock: Clock; readonly requestId: string },
): Promise<"sent" | "broken" | "client_left"> {
  const left = new AbortController()
  response.on("close", () => left.abort())
  if (answer.end === "nothing") {
    response.socket?.resetAndDestroy()
    return "broken"
  }
  await clock.sleep(answer.parts[0]?.atMs ?? 0, left.signal)
  if (left.signal.aborted) return "client_left"
  const whole = answer.end === "finish" && answer.parts.length === 1 && answer.tail === undefined
  const length = whole ? { "content-length": String(Buffer.byteLength(answer.parts[0]?.bytes ?? "")) } : {}
  response.writeHead(answer.status, {
    ...answer.headers,
    ...length,
    "request-id": requestId,
    "x-request-id": requestId,
  })
  if (whole) {
    response.end(answer.parts[0]?.bytes)
    return "sent"
  }
  await writeParts(response, answer, { clock, signal: left.signal })
  if (left.signal.aborted) return "client_left"
  if (answer.tail !== undefined) response.write(answer.tail)
  return endAs(response, answer.end, { clock, signal: left.signal })
}

interface Waiting {
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function writeParts(
  response: ServerResponse,
  { parts, encoding }: Pick<Answer, "parts" | "encoding">,
  { clock, signal }: Waiting,
): Promise<void> {
  const began = clock.now() - (parts[0]?.atMs ?? 0)
  let at = 0
  while (at < parts.length && !signal.aborted) {
    const elapsed = clock.now() - began
    let batch = ""
    for (let part = parts[at]; part && part.atMs <= elapsed && batch.length < writeChars; part = parts[++at])
      batch += part.bytes
    if (batch === "") await clock.sleep((parts[at]?.atMs ?? 0) - elapsed, signal)
    else if (!response.write(Buffer.from(batch, encoding ?? "utf8"))) await drained(response, signal)
  }
}

async function endAs(
  response: ServerResponse,
  end: Answer["end"],
  waiting: Waiting,
): Promise<"sent" | "broken" | "client_left"> {
  switch (end) {
    case "finish":
      response.end()
      return "sent"
    case "close": {
      const { socket } = response
      await new Promise<void>((resolve) => response.end(resolve))
      await linger(waiting)
      socket?.destroy()
      return "sent"
    }
    case "silence":
      await new Promise<void>((resolve) => waiting.signal.addEventListener("abort", () => resolve()))
      return "broken"
    case "reset":
    case "nothing":
      await linger(waiting)
      response.socket?.resetAndDestroy()
      return "broken"
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve)
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
