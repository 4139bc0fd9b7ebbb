/** What the tests of the simulator share: opening one, asking it plainly, and reading a stream. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { openSimulator, type Simulator, type SimulatorOptions } from "#sim/server.ts"

export async function open(options: SimulatorOptions = {}): Promise<Simulator & AsyncDisposable> {
  const opened = await openSimulator({ demoTiming: {}, ...options })
  if (!opened.ok) throw new Error(opened.failure.message)
  return { ...opened.value, [Symbol.asyncDispose]: () => opened.value.close() }
}

export const keyed = { "x-api-key": "any", "anthropic-version": "2023-06-01" } as const

export const hello: JsonObject = { model: "sim", max_tokens: 100, messages: [{ role: "user", content: "hello" }] }

export const post = (
  url: string,
  body: JsonObject,
  headers: Record<string, string> = keyed,
  path = "/v1/messages",
): Promise<Response> => fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })

export async function jsonOf(response: Response): Promise<JsonObject> {
  const value: unknown = await response.json()
  if (!isObject(value)) throw new Error("not an object")
  return value
}

/** The data of every event in a stream; what is not JSON stays text. */
export function eventsIn(stream: string): { readonly event: string; readonly data: JsonObject }[] {
  return stream
    .split("\n\n")
    .filter((part) => part !== "")
    .map((part) => {
      const [head = "", data = ""] = part.split("\n")
      return { event: head.replace("event: ", ""), data: JSON.parse(data.replace("data: ", "")) as JsonObject }
    })
}

/** A conversation in which a call was made and answered. */
export const withCall = (more: JsonObject = {}): JsonObject => ({
  ...hello,
  messages: [
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Looking." },
        { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "the file" }] },
  ],
  ...more,
})
