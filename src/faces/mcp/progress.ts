/** What a call is doing, for the request that waits for it, if that request wants to know. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { Rpc } from "#lib/json-rpc.ts"

/** More would be a transcript. */
const longestProgress = 500

export function progressTo(rpc: Pick<Rpc, "notify">, { _meta: meta }: JsonObject): (message: string) => void {
  const token: JsonValue | undefined = isObject(meta) ? meta.progressToken : undefined
  if (typeof token !== "string" && typeof token !== "number") return () => {}
  let progress = 0
  return (message) =>
    rpc.notify("notifications/progress", {
      progressToken: token,
      progress: ++progress,
      message: message.slice(-longestProgress).toWellFormed(),
    })
}
