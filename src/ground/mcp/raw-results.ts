/**
 * Results of the 2026 revision as the server sent them. The library refuses a whole list for one malformed tool and knows no
 * tasks, so each result passes through it inside the one kind that it hands on unread.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { InputRequired, McpReply, McpTask } from "./connection.ts"
import { plainText } from "#lib/plain-text.ts"
import { callResultIn } from "./decode.ts"

const key = "result"

export const wrapped = (result: JsonValue): JsonObject => ({
  resultType: "input_required",
  inputRequests: { [key]: isObject(result) ? result : {} },
})

/** The result as the server sent it; that of an older server comes as it is. */
export function unwrapped(value: unknown): JsonObject {
  if (!isObject(value)) return {}
  if (value.resultType !== "input_required") return value
  const inside = isObject(value.inputRequests) ? value.inputRequests[key] : undefined
  return isObject(inside) ? inside : {}
}

/** No server needs more of the user at once. */
const mostRequests = 10
const longestState = 1_000_000

export function replyIn(value: JsonObject): McpReply {
  const asked = inputRequiredIn(value)
  if (asked) return { kind: "asks", ...asked }
  const task = value.resultType === "task" ? taskIn(value) : undefined
  return task ? { kind: "task", task } : { kind: "complete", result: callResultIn(value) }
}

/** What the server wants before it answers; undefined if it has answered. */
export function inputRequiredIn({ resultType, inputRequests, requestState }: JsonObject): InputRequired | undefined {
  if (resultType !== "input_required") return undefined
  const requests = isObject(inputRequests) ? Object.entries(inputRequests).slice(0, mostRequests) : []
  const isState = typeof requestState === "string" && requestState.length <= longestState
  return { requests: Object.fromEntries(requests), ...(isState && { state: requestState }) }
}

const statuses: readonly McpTask["status"][] = ["working", "input_required", "completed", "failed", "cancelled"]
const longestId = 1_000
const longestMessage = 500

/** A task; undefined if it has no id, by which alone it could be asked about. */
export function taskIn(value: JsonObject): McpTask | undefined {
  const { taskId, statusMessage, pollIntervalMs, inputRequests, result, error } = value
  const status = statuses.find((one) => one === value.status)
  if (typeof taskId !== "string" || taskId === "" || taskId.length > longestId || !status) return undefined
  return {
    id: taskId,
    status,
    ...(typeof statusMessage === "string" && { message: plainText(statusMessage).slice(0, longestMessage) }),
    ...(typeof pollIntervalMs === "number" && pollIntervalMs >= 0 && { pollMs: pollIntervalMs }),
    ...(status === "input_required" &&
      isObject(inputRequests) && {
        requests: Object.fromEntries(Object.entries(inputRequests).slice(0, mostRequests)),
      }),
    ...(status === "completed" && { result: callResultIn(isObject(result) ? result : {}) }),
    ...(status === "failed" && { error: errorIn(error) }),
  }
}

const errorIn = (error: JsonValue | undefined): string =>
  isObject(error) && typeof error.message === "string" ? plainText(error.message) : "no reason given"
