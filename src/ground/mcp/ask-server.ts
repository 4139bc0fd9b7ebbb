/** One request to a server, within its patience, with exceptions turned into values. */

import type { Client } from "@modelcontextprotocol/client"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { McpConnection, McpFailure } from "./connection.ts"
import { failureOf } from "./failures.ts"
import type { Counts, openPatience } from "./patience.ts"
import { unwrapped } from "./raw-results.ts"

/** Disables the library's own timeout: patience is counted here, where a question to the user can pause it. */
export const noTimeout = 2_147_483_647

export type AskServer = (
  request: { readonly method: string; readonly params?: JsonObject },
  options: {
    readonly signal: AbortSignal
    readonly timeoutMs: number
    readonly counts?: Counts
    readonly onProgress?: Parameters<McpConnection["call"]>[1]["onProgress"]
    readonly headers?: Readonly<Record<string, string>>
  },
) => Promise<Result<JsonObject, McpFailure>>

interface AskParts {
  readonly client: Client
  readonly patience: ReturnType<typeof openPatience>
  /** Called when the connection turns out to be gone. */
  readonly lost: (why: string) => void
  readonly secrets?: (() => readonly string[]) | undefined
}

export function openAsk({ client, patience, lost, secrets }: AskParts): AskServer {
  return async (request, { signal, timeoutMs, counts, onProgress, headers }) => {
    const watched = patience.watch(timeoutMs, counts)
    try {
      const value = await client.request({ ...request, params: { ...request.params } }, anything, {
        signal: AbortSignal.any([signal, watched.ended]),
        timeout: noTimeout,
        allowInputRequired: true,
        ...(headers && { headers }),
        ...(onProgress && {
          onprogress: ({ progress, total, message }) => {
            watched.touch()
            onProgress({
              progress,
              ...(total !== undefined && { total }),
              ...(message !== undefined && { message }),
            })
          },
        }),
      })
      return ok(unwrapped(isObject(value) ? value : {}))
    } catch (error) {
      if (watched.ended.aborted) return failed({ kind: "timeout", message: lateWords(timeoutMs, counts) })
      const failure = failureOf(error, signal, secrets?.())
      if (failure.kind === "closed") lost(failure.message)
      return failed(failure)
    } finally {
      watched.done()
    }
  }
}

const lateWords = (ms: number, counts: Counts | undefined): string =>
  counts === "whole"
    ? `The server did not finish within ${ms / 1000} s.`
    : `The server said nothing for ${ms / 1000} s.`

/** Accepts every answer: servers do not strictly follow their own schemas, and we check each part ourselves. */
export const anything: AnySchema = {
  "~standard": { version: 1, vendor: "codewright", validate: (value) => ({ value }) },
}

interface AnySchema {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: unknown }
  }
}
