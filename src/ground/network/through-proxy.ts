/** A request through a proxy, which looks the name up: the head of its answer, and the body as it was sent. */

import { Readable } from "node:stream"
import { connectionWords } from "#lib/connection-words.ts"
import type { ConnectionFailure, HttpAnswer, PinnedRequest } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { overTheWire, type ChosenRoute } from "./send.ts"

export async function throughProxy(
  { address, headers, method, body, signal }: PinnedRequest,
  route: ChosenRoute,
): Promise<Result<HttpAnswer, ConnectionFailure>> {
  try {
    const response = await overTheWire(
      new URL(address.url),
      {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...headers, "user-agent": `Codewright/${version}` },
        ...(body !== undefined && { body }),
        signal,
        redirect: "manual",
        decompress: false,
        keepalive: false,
      },
      route,
    )
    const pairs = [...response.headers]
    const stream = Readable.fromWeb(response.body ?? new ReadableStream({ start: (empty) => empty.close() }))
    // Without a reader, the end of the connection does not matter.
    stream.on("error", () => {})
    return ok(
      Object.assign(stream, {
        statusCode: response.status,
        statusMessage: response.statusText,
        headers: Object.fromEntries(pairs),
        rawHeaders: pairs.flat(),
        // A body that was cut off ends with an error.
        complete: true,
      }),
    )
  } catch (error) {
    return failed({ when: "after", why: error instanceof Error ? connectionWords(error) : String(error) })
  }
}
