/** A client of our own, line by line: for what no published one would send. */

import type { Subprocess } from "bun"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { environmentOf } from "../../kit/run-codewright.ts"
import type { World } from "./drive.ts"

const program = process.env["CODEWRIGHT_TEST_PROGRAM"] ?? (await builtProgram())

export interface Wire {
  readonly process: Subprocess<"pipe", "pipe", "pipe">
  readonly send: (...messages: readonly object[]) => void
  /** As it is, without a line break. */
  readonly write: (text: string) => void
  readonly told: JsonObject[]
  /** Resolves with the next message that fits; rejects when the output ends before. */
  readonly next: (fits: (message: JsonObject) => boolean) => Promise<JsonObject>
  /** Closes the input, and waits for the end. */
  readonly end: () => Promise<End>
  /** What the end of a client's process looks like to the program: both pipes are closed. */
  readonly vanish: () => Promise<void>
  /** Waits for the end. */
  readonly over: () => Promise<End>
}

export interface End {
  readonly code: number
  readonly stderr: string
}

export function openWire(
  world: World,
  argv: readonly string[] = [],
  env: { readonly [name: string]: string } = {},
): Wire {
  const base = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
  const child = Bun.spawn([program, ...base, ...argv], {
    cwd: world.place.work,
    env: environmentOf(world.place, world.simulator.url, env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  })
  const told: JsonObject[] = []
  let seen = 0
  let isOver = false
  let wake = Promise.withResolvers<void>()
  const tell = (): void => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const reader = child.stdout.getReader()
  const read = async (): Promise<void> => {
    let rest = ""
    const decoder = new TextDecoder()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const message = JSON.parse(line) as JsonValue
        if (!isObject(message)) throw new Error(`Not an object: ${line}`)
        told.push(message)
      }
      tell()
    }
    isOver = true
    tell()
  }
  const followed = read()
  const stderr = child.stderr.text()
  const write = (text: string): void => {
    void child.stdin.write(text)
    void child.stdin.flush()
  }
  const over = async (): Promise<End> => {
    const [code, words] = await Promise.all([child.exited, stderr, followed])
    return { code, stderr: words }
  }
  return {
    process: child,
    told,
    write,
    send: (...messages) => write(messages.map((message) => `${JSON.stringify(message)}\n`).join("")),
    async next(fits) {
      for (;;) {
        const { promise } = wake
        while (seen < told.length) {
          const message = told[seen++] as JsonObject
          if (fits(message)) return message
        }
        if (isOver) throw new Error(`The output ended: ${JSON.stringify(told)} ${await stderr}`)
        await promise
      }
    },
    async end() {
      await child.stdin.end()
      return over()
    },
    async vanish() {
      await reader.cancel()
      await child.stdin.end()
    },
    over,
  }
}

export const initialize = (more: object = {}): object => request("init", { subtype: "initialize", ...more })
export const request = (request_id: string, body: object): object => ({
  type: "control_request",
  request_id,
  request: body,
})
export const user = (content: string, more: object = {}): object => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  session_id: "",
  ...more,
})
export const answer = (request_id: string, response: object): object => ({
  type: "control_response",
  response: { subtype: "success", request_id, response },
})

export const isResult = ({ type }: JsonObject): boolean => type === "result"
export const isAnswerTo =
  (id: string) =>
  ({ type, response }: JsonObject): boolean =>
    type === "control_response" && isObject(response) && response.request_id === id
export const isAsked =
  (subtype: string) =>
  ({ type, request: asked }: JsonObject): boolean =>
    type === "control_request" && isObject(asked) && asked.subtype === subtype
