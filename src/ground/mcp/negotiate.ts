/**
 * Which revision of the protocol a server speaks: it is asked before the library takes over, so that nothing waits for the
 * library's schemas, and a server's late or odd answer costs no more than it must.
 */

import type { PriorDiscovery, Transport } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpFailure } from "./connection.ts"
import { failureOf, statusOf } from "./failures.ts"

/** The newest revision that we speak. */
const newestRevision = "2026-07-28"

/** `mayBeOlder`: the server could not stand being asked, so it may still know the older handshake. */
export type RevisionFailure = McpFailure & { readonly mayBeOlder?: true }

export interface ProbeParts {
  readonly transport: Transport
  readonly clock: Clock
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly capabilities: JsonObject
  /** For programs: how long silence may last before it means that the question is not understood. */
  readonly silenceMs?: number | undefined
  readonly secrets?: (() => readonly string[]) | undefined
}

type ProbeReply =
  | { readonly kind: "result"; readonly result: JsonValue | undefined }
  | { readonly kind: "error"; readonly error: JsonValue | undefined }
  | { readonly kind: "thrown"; readonly error: unknown }
  | { readonly kind: "closed" | "silent" | "aborted" }

/** Leaves the transport started, and as the library expects it. */
export async function revisionOf(
  parts: ProbeParts,
  signal: AbortSignal,
): Promise<Result<PriorDiscovery, RevisionFailure>> {
  const reply = await asked(parts, signal)
  Object.assign(parts.transport, noHandlers, { start: () => Promise.resolve() })
  switch (reply.kind) {
    case "result":
      return ofResult(reply.result)
    case "error":
      return ofError(reply.error)
    case "silent":
      return ok(older)
    case "closed":
      return failed({ kind: "closed", message: "The connection was lost before it answered.", mayBeOlder: true })
    case "aborted":
      return failed({ kind: "aborted", message: "It was interrupted." })
    case "thrown": {
      const status = statusOf(reply.error)
      // Older servers answer what they do not know with almost anything; these say something else.
      const isTelling = status === undefined || status === 401 || status === 403 || status >= 502
      return isTelling ? failed(failureOf(reply.error, signal, parts.secrets?.())) : ok(older)
    }
  }
}

const older: PriorDiscovery = { kind: "legacy" }
const noHandlers: Pick<Transport, "onmessage" | "onclose"> = { onmessage: () => {}, onclose: () => {} }

const probeId = "discover"

/** One question, and whatever comes of it first. */
async function asked(parts: ProbeParts, signal: AbortSignal): Promise<ProbeReply> {
  const { transport, clock, silenceMs } = parts
  const came = Promise.withResolvers<ProbeReply>()
  let isRepeated = false
  const ask = (): void =>
    void transport.send(probe(parts)).catch((error: unknown) => came.resolve({ kind: "thrown", error }))
  const listeners: Pick<Transport, "onmessage" | "onclose"> = {
    onmessage(message) {
      if (!("id" in message) || message.id !== probeId || "method" in message) return
      if ("result" in message) return came.resolve({ kind: "result", result: message.result as JsonValue })
      const error = "error" in message ? (message.error as unknown as JsonValue) : null
      // It names the revision that it was asked in: then it may be asked again.
      if (isRepeated || !supportedIn(error)?.includes(newestRevision)) return came.resolve({ kind: "error", error })
      isRepeated = true
      ask()
    },
    onclose: () => came.resolve({ kind: "closed" }),
  }
  Object.assign(transport, listeners)
  const onAbort = (): void => came.resolve({ kind: "aborted" })
  if (signal.aborted) return { kind: "aborted" }
  signal.addEventListener("abort", onAbort, { once: true })
  const cancel = silenceMs === undefined ? () => {} : clock.after(silenceMs, () => came.resolve({ kind: "silent" }))
  try {
    await transport.start()
    ask()
    return await came.promise
  } catch (error) {
    return { kind: "thrown", error }
  } finally {
    cancel()
    signal.removeEventListener("abort", onAbort)
  }
}

const probe = ({ clientInfo, capabilities }: ProbeParts): Parameters<Transport["send"]>[0] => ({
  jsonrpc: "2.0",
  id: probeId,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": newestRevision,
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    },
  },
})

/** What is no such answer comes from a server that answers everything. */
function ofResult(result: JsonValue | undefined): Result<PriorDiscovery, RevisionFailure> {
  if (!isObject(result) || !Array.isArray(result.supportedVersions)) return ok(older)
  const { supportedVersions, capabilities, instructions, _meta } = result
  if (!supportedVersions.includes(newestRevision)) return unlessKnown(supportedVersions)
  return ok({
    kind: "modern",
    discover: {
      supportedVersions: [newestRevision],
      capabilities: isObject(capabilities) ? capabilities : {},
      ...(typeof instructions === "string" && { instructions }),
      ...(isObject(_meta) && { _meta }),
      ttlMs: 0,
      cacheScope: "private",
    },
  })
}

const unsupportedRevision = -32_022

/** Only a newer server says which revisions it knows; any other error comes from one that does not know the question. */
function ofError(error: JsonValue | undefined): Result<PriorDiscovery, RevisionFailure> {
  const supported = supportedIn(error)
  return supported ? unlessKnown(supported) : ok(older)
}

function supportedIn(error: JsonValue | undefined): readonly JsonValue[] | undefined {
  const data = isObject(error) && error.code === unsupportedRevision ? error.data : undefined
  return isObject(data) && Array.isArray(data.supported) ? data.supported : undefined
}

function unlessKnown(supported: readonly JsonValue[]): Result<PriorDiscovery, RevisionFailure> {
  const names = supported.filter((one) => typeof one === "string")
  if (names.length === 0 || names.some((one) => one < newestRevision)) return ok(older)
  const message = `The server speaks only newer revisions of MCP (${names.join(", ").slice(0, 100)}). Update Codewright to use it.`
  return failed({ kind: "refused", message })
}
