/** The published SDKs against the built program, each story in a place and with a model of its own. */

import { describe, setDefaultTimeout, test } from "bun:test"
import { type Options, query as query03, type SDKMessage } from "claude-agent-sdk-0.3"
import { query as query02 } from "claude-agent-sdk-0.2"
import type { RecordedRequest } from "#sim/ledger.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { asScenario, environmentOf, openPlace, type Place, type RunOptions } from "../../kit/run-codewright.ts"
import { openTurns, type Turn } from "../../kit/turns.ts"

setDefaultTimeout(300_000)

export type Version = "0.3" | "0.2"
export type Message = SDKMessage & { readonly [field: string]: unknown }

export const versions: readonly Version[] = ["0.3", "0.2"]
/** Of each test file, so that its versions are the same whatever ran before it in this process. */
const turns = new Map<string, Turn>()

const queries = {
  "0.3": query03,
  // The two differ in types that no test uses.
  "0.2": query02 as unknown as typeof query03,
}

const program = process.env["CODEWRIGHT_TEST_PROGRAM"] ?? (await builtProgram())

export interface World extends AsyncDisposable {
  readonly place: Place
  readonly version: Version
  readonly simulator: Simulator
  readonly requests: () => readonly RecordedRequest[]
  readonly options: (more?: Options) => Options
  readonly query: typeof query03
  /** What the program wrote on standard error. */
  readonly stderr: () => string
  /** Runs a query to its end; what it threw is part of the outcome. */
  readonly run: (prompt: Parameters<typeof query03>[0]["prompt"], more?: Options) => Promise<Told>
}

export interface Told {
  readonly messages: readonly Message[]
  readonly thrown: string | undefined
}

export interface WorldOptions {
  readonly scenario?: RunOptions["scenario"]
  readonly files?: { readonly [path: string]: string }
  readonly env?: RunOptions["env"]
  readonly place?: Place
}

export async function openWorld(version: Version, given: WorldOptions = {}): Promise<World> {
  const opened = await openSimulator({ scenario: asScenario(given.scenario ?? []) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  const place = given.place ?? openPlace(given.files)
  let stderr = ""
  const options = (more: Options = {}): Options => ({
    pathToClaudeCodeExecutable: program,
    cwd: place.work,
    stderr: (text) => void (stderr += text),
    ...more,
    env: environmentOf(place, simulator.url, {
      CLAUDE_CODE_SDK_READS_SESSION_STATE: undefined,
      ...given.env,
      ...more.env,
    }),
  })
  const query = queries[version]
  return {
    place,
    version,
    simulator,
    requests: () => simulator.requests,
    options,
    query,
    stderr: () => stderr,
    run: async (prompt, more) => heard(query({ prompt, options: options(more) })),
    async [Symbol.asyncDispose]() {
      await simulator.close()
      if (!given.place) place[Symbol.dispose]()
      // The SDK sets it for the program that it starts, in our own environment.
      delete process.env["CLAUDE_AGENT_SDK_VERSION"]
      const refused = simulator.requests.find(({ answered }) => answered.kind === "refusal")
      if (refused) throw new Error(`The simulator refused a request: ${JSON.stringify(refused.answered)}`)
    },
  }
}

export async function heard(messages: AsyncIterable<SDKMessage>): Promise<Told> {
  const told: Message[] = []
  try {
    for await (const message of messages) told.push(message as Message)
  } catch (error) {
    return { messages: told, thrown: error instanceof Error ? error.message : String(error) }
  }
  return { messages: told, thrown: undefined }
}

/** A story that holds for both versions of the SDK. By day they take turns, one story each, unless it differs between them. */
export function withBoth(
  name: string,
  story: (version: Version) => Promise<void>,
  byDay: "in turns" | "both" = "in turns",
): void {
  const turn = turns.get(Bun.main) ?? openTurns()
  turns.set(Bun.main, turn)
  const inTurn = turn(versions)
  describe(name, () => {
    for (const version of byDay === "both" ? versions : inTurn) test(`SDK ${version}`, () => story(version))
  })
}

/** `type` or `type/subtype` of each. */
export const kinds = ({ messages }: Told): readonly string[] =>
  messages.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${String(subtype)}`))

export const resultOf = ({ messages }: Told): Message => {
  const result = messages.findLast(({ type }) => type === "result")
  if (!result) throw new Error(`There was no result among ${JSON.stringify(messages)}`)
  return result
}

/** A prompt as a stream that stays open until it is closed, as a chat would keep it. */
export function openStream(): {
  readonly prompt: AsyncIterable<never>
  readonly say: (text: string, more?: object) => void
  readonly end: () => void
} {
  const waiting: object[] = []
  let wake = Promise.withResolvers<void>()
  let ended = false
  const tell = (): void => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  async function* messages(): AsyncGenerator<never> {
    for (;;) {
      const { promise } = wake
      while (waiting.length > 0) yield waiting.shift() as never
      if (ended) return
      await promise
    }
  }
  return {
    prompt: messages(),
    say(text, more) {
      const message = { role: "user", content: text }
      waiting.push({ type: "user", message, parent_tool_use_id: null, session_id: "", ...more })
      tell()
    },
    end() {
      ended = true
      tell()
    },
  }
}
