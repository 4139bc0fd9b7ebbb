/** Whatever is asked of a session in whatever order: what is sent is valid, proved by the log, and the same after a resume. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import { refold } from "#agent/words/follower.ts"
import type { Message } from "#agent/words/message.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { messagesIn } from "#ground/transcript/blocks.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { openStoredLog } from "#ground/transcript/stored-log.ts"
import { inspect, requestsIn } from "#session/request/inspect.ts"
import { openDigests } from "#session/request/requests.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"

const runs = Number(process.env["CODEWRIGHT_ORDER_RUNS"] ?? 8)

const summary = says(
  "<summary>\n1. Request and intent: the user wants the work done step by step, as they say.\n8. Current work: none.\n</summary>",
)
const todos = (content: string) => [{ content, status: "pending", activeForm: "doing" }]

/** What a prompt asks for is done by the calls that go with it. */
const script: ScenarioFunction = ({ messages }) => {
  const last = messages.at(-1)?.content ?? []
  if (JSON.stringify(last).includes("Write a summary")) return summary
  if (last.some(({ type }) => type === "tool_result")) return says(`Done. ${"It went well. ".repeat(600)}`)
  const said = last.findLast(({ type, text }) => type === "text" && !String(text).startsWith("<system-reminder>"))
  const text = String(said?.text)
  if (text.startsWith("list")) return calls(use("TodoWrite", { todos: todos(text) }))
  if (text.startsWith("write")) return calls(write("b.txt", text))
  if (text.startsWith("edit")) return calls(read("a.txt"), edit("a.txt", "alpha", "alpha alpha"))
  if (text.startsWith("run")) return calls(bash(`echo "${text}" >> c.txt; cat c.txt`))
  if (text.startsWith("think")) return { content: [{ thinking: "Hm.", signature: "s" }, "I thought."] }
  return says(`You said: ${text}. ${"And so it is. ".repeat(600)}`)
}

type Deed =
  | { readonly do: "prompt"; readonly what: string }
  | { readonly do: "rewind"; readonly nth: number; readonly what: "files" | "conversation" | "both" }
  | {
      readonly do: "redo" | "clear" | "compact" | "uncompact" | "shell" | "reopen" | "fork" | "plan" | "accept" | "cut"
    }

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("prompt" as const),
      what: fc.constantFrom("list", "write", "edit", "run", "think", "talk"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rewind" as const),
      nth: fc.nat(6),
      what: fc.constantFrom("files" as const, "conversation" as const, "both" as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("redo", "clear", "compact", "uncompact", "shell", "reopen", "fork", "plan", "accept", "cut"),
    }) as fc.Arbitrary<Deed>,
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("compact", "uncompact", "redo", "reopen") }) as fc.Arbitrary<Deed>,
  },
)

test("any order of prompts, moves, compactions, commands and resumes", async () => {
  await fc.assert(fc.asyncProperty(fc.array(deed, { minLength: 8, maxLength: 24 }), carryOut), {
    numRuns: runs,
    endOnFailure: false,
    interruptAfterTimeLimit: 100_000,
  })
}, 300_000)

async function carryOut(deeds: readonly Deed[]): Promise<void> {
  const opened: TestSession[] = []
  const first = await openTestSession({ script, files: { "a.txt": "alpha\n" }, answers: () => ({ kind: "allow" }) })
  opened.push(first)
  try {
    let t = first
    let count = 0
    for (const one of [...deeds, { do: "prompt", what: "talk" } as const]) {
      const { costUsd } = await t.ask({ type: "state" })
      if (one.do === "reopen") {
        t = await reopened(t)
        opened.push(t)
      } else if (one.do === "fork") {
        t = await t.fork()
        opened.push(t)
        // What the other ways have cost stays with the session that went them.
        continue
      } else await carryOutOne(t, one, `${++count}`)
      expect((await t.ask({ type: "state" })).costUsd).toBeGreaterThanOrEqual(costUsd - 1e-9)
    }
    const inspected = inspect(t.entries())
    const log = openStoredLog(t.logPath)
    expect(log.ok && [...requestsIn(log.value)]).toEqual(inspected.map((request) => ({ ...request })))
    expect(inspected.filter(({ proved }) => !proved)).toEqual([])
    expect(inspected.filter(({ blocks }) => !blocks.some(({ role }) => role === "system"))).toEqual([])
    const digests = openDigests()
    const listed = new Set(opened.flatMap((one) => one.entries().flatMap(digestIn)))
    expect(t.requests().filter((messages) => !listed.has(digests.of(messages)))).toEqual([])
    expect(t.simulator.requests.filter(({ answered }) => answered.kind === "refusal")).toEqual([])
  } finally {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]()
  }
}

const digestIn = (entry: Entry): string[] => (entry.kind === "request" ? [entry.digest] : [])

async function reopened(t: TestSession): Promise<TestSession> {
  const state = await t.ask({ type: "state" })
  const plan = (await t.ask({ type: "plan" }))?.path
  const filled = await tokensIn(t)
  const next = await t.reopen()
  expect(await next.ask({ type: "state" })).toEqual(state)
  expect((await next.ask({ type: "plan" }))?.path).toEqual(plan as never)
  // Both are estimates, made at different moments.
  expect(Math.abs((await tokensIn(next)) - filled)).toBeLessThan(300)
  return next
}

const tokensIn = async (t: TestSession): Promise<number> =>
  (await t.ask({ type: "context" })).parts.find(({ name }) => name === "Messages")?.tokens ?? 0

async function carryOutOne(t: TestSession, one: Deed, number: string): Promise<void> {
  switch (one.do) {
    case "prompt":
      return prompt(t, `${one.what} ${number}`)
    case "rewind": {
      const prompts = pathOf(t.entries()).filter((entry) => entry.kind === "prompt")
      const to = prompts[one.nth % Math.max(1, prompts.length)]
      void t.session.submit({ type: "rewind", promptId: to?.promptId ?? "none", what: one.what })
      break
    }
    case "shell":
      void t.session.submit({ type: "shell", command: `echo own ${number}` })
      break
    case "plan":
      void t.session.submit({ type: "set_mode", mode: "plan" })
      break
    case "accept":
      void t.session.submit({ type: "set_mode", mode: "acceptEdits" })
      break
    case "cut":
      // Interrupted wherever it is by then, with something waiting behind it.
      t.say(`run ${number}`)
      t.say(`waits ${number}`)
      await Bun.sleep(Number(number))
      void t.session.submit({ type: "interrupt" })
      break
    case "reopen":
    case "fork":
      return
    default:
      void t.session.submit({ type: one.do })
  }
  await t.settled()
}

/** What is sent begins with what the log says, folded from scratch. */
async function prompt(t: TestSession, text: string): Promise<void> {
  const folded = blocksOf(foldedFrom(t.entries()))
  const before = t.requests().length
  await t.prompt(text)
  const [sent] = t.requests().slice(before)
  // What came over the wire is in the provider's own words, as older logs are.
  const heard = messagesIn(JSON.parse(JSON.stringify(sent ?? [])))
  expect(blocksOf(heard).slice(0, folded.length)).toEqual(folded)
}

function foldedFrom(entries: readonly Entry[]): readonly Message[] {
  const conversation = openConversation({ shrink })
  refold([{ conversation }], pathOf(entries))
  return conversation.messages()
}

const blocksOf = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [content] : content).map((block) => `${role} ${JSON.stringify(block)}`),
  )
