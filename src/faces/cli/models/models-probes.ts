/** The requests that show what a model can do, each with what its answer means. */

import { type AssistantBlock, type Message, textOf, type UserBlock } from "#agent/words/message.ts"
import {
  addUsage,
  type Model,
  type ModelFailure,
  noUsage,
  type Request,
  type ToolSpec,
  type Usage,
} from "#agent/words/model.ts"
import { openReply } from "#agent/words/reply.ts"
import { optional } from "#lib/optional.ts"
import { readSchema } from "#lib/json-schema.ts"
import { firstLine } from "#lib/rows.ts"

export interface Probed {
  readonly kind: "probed"
  readonly name: string
  /** `no`: it cannot, which is no fault. `wrong`: it could not be worked with. */
  readonly state: "ok" | "no" | "wrong"
  readonly says: string
  /** The fact of the model that this shows. */
  readonly field?: "tools" | "parallelCalls" | "images"
}

interface ProbeParts {
  readonly model: string
  readonly models: Model
  readonly signal: AbortSignal
}

interface ProbeAnswer {
  readonly content: readonly AssistantBlock[]
  readonly text: string
  readonly usage: Usage
  readonly failure?: ModelFailure
}

type ProbeResult = Pick<Probed, "state" | "says">

type SendProbe = (more: Partial<Request> & Pick<Request, "messages">, until?: "first words") => Promise<ProbeAnswer>

interface Probe {
  readonly name: string
  readonly field?: Probed["field"]
  readonly run: (ask: SendProbe) => Promise<ProbeResult>
}

/** One after the other; the usage of all comes last. A model that does not answer at all is not asked again. */
export async function* probes({
  model,
  models,
  signal,
}: ProbeParts): AsyncGenerator<Probed | { readonly kind: "usage"; readonly usage: Usage }> {
  let usage = noUsage
  const ask: SendProbe = async (more, until) => {
    const reply = await answer(models, { ...plain, model, ...more }, signal, until)
    usage = addUsage(usage, reply.usage)
    return reply
  }
  for (const { name, field, run } of all) {
    if (signal.aborted) break
    const verdict = await run(ask)
    yield { kind: "probed", name, ...verdict, ...(field && { field }) }
    if (verdict.state === "wrong" && name === all[0]?.name) break
  }
  yield { kind: "usage", usage }
}

const plain: Omit<Request, "model" | "messages"> = {
  system: [{ text: "You are being tested. Do exactly what is asked, and nothing else." }],
  tools: [],
  maxTokens: 4_000,
  thinking: { type: "auto" },
  delivery: "stream",
  repeat: 0,
}

const says = (...content: readonly UserBlock[]): Message => ({ role: "user", content })
const words = (text: string): UserBlock => ({ type: "text", text })

const add: ToolSpec = {
  name: "add",
  description: "Adds two whole numbers.",
  input_schema: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
}

const person = {
  type: "object",
  properties: {
    name: { type: "string" },
    languages: { type: "array", items: { type: "string" } },
    address: {
      type: "object",
      properties: { city: { type: "string" }, number: { type: "integer" } },
      required: ["city", "number"],
      additionalProperties: false,
    },
  },
  required: ["name", "languages", "address"],
  additionalProperties: false,
}

const report: ToolSpec = { name: "report", description: "Takes your answer as data.", input_schema: person }

/** 32 by 32 pixels, all of them red. */
const red =
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC"

const all: readonly Probe[] = [
  {
    name: "text",
    async run(ask) {
      const { text, failure } = await ask({ messages: [says(words("ProbeAnswer with the one word pong."))] })
      if (failure) return wrong(failure)
      return text.trim() === ""
        ? { state: "wrong", says: "it answered, but with no text" }
        : { state: "ok", says: `it answered "${shortened(text)}"` }
    },
  },
  {
    name: "a call",
    field: "tools",
    async run(ask) {
      const question = says(words("Use the tool add to add 17 and 25. Then say the sum."))
      const first = await ask({ messages: [question], tools: [add] })
      if (first.failure) return wrong(first.failure)
      const [call] = callsIn(first)
      if (!call) return { state: "wrong", says: "it answered in words instead of calling the tool" }
      const { a, b } = call.input
      if (call.name !== add.name || Number(a) + Number(b) !== 42)
        return { state: "wrong", says: `it called ${call.name} with ${shortened(JSON.stringify(call.input))}` }
      const second = await ask({ messages: [question, back(first), results(first, "42")], tools: [add] })
      if (second.failure) return wrong(second.failure)
      return { state: "ok", says: "it called the tool and took the result" }
    },
  },
  {
    name: "two calls at once",
    field: "parallelCalls",
    async run(ask) {
      const question = says(
        words(
          "Use the tool add twice, with both calls in one answer: add 1 and 2, and add 3 and 4. Then say both sums.",
        ),
      )
      const first = await ask({ messages: [question], tools: [add] })
      if (first.failure) return cannot(first.failure)
      const made = callsIn(first).length
      if (made < 2) return { state: "no", says: made === 1 ? "it made one call" : "it made none" }
      const second = await ask({ messages: [question, back(first), results(first, "done")], tools: [add] })
      return second.failure ? cannot(second.failure) : { state: "ok", says: `it made ${made} calls in one answer` }
    },
  },
  {
    name: "a picture",
    field: "images",
    async run(ask) {
      const picture: UserBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: red } }
      const question = words("Which color does this picture have? ProbeAnswer with one word.")
      const { text, failure } = await ask({ messages: [says(picture, question)] })
      if (failure) return cannot(failure)
      return /\bred\b/i.test(text)
        ? { state: "ok", says: "it saw the color" }
        : { state: "no", says: `it took the picture, but answered "${shortened(text)}"` }
    },
  },
  {
    name: "a long answer",
    async run(ask) {
      const question = words("Write the numbers from 1 to 400, each followed by a space. No other text.")
      const { text, failure, usage } = await ask({ messages: [says(question)] })
      if (failure) return wrong(failure)
      const numbers = text.match(/\d+/g)?.length ?? 0
      const counted = usage.output_tokens > 0 ? "" : " The server does not say how many tokens were used."
      return numbers >= 300
        ? { state: "ok", says: `it wrote ${numbers} numbers.${counted}` }
        : { state: "no", says: `it stopped after ${numbers} of 400 numbers.${counted}` }
    },
  },
  {
    name: "cancel",
    async run(ask) {
      const question = words("Write the numbers from 1 to 2000, each followed by a space. No other text.")
      const { failure, text } = await ask({ messages: [says(question)] }, "first words")
      if (failure && failure.kind !== "aborted") return wrong(failure)
      return failure
        ? { state: "ok", says: `it was stopped after ${text.length} characters` }
        : { state: "no", says: "it had finished before it could be stopped" }
    },
  },
  {
    name: "structured output",
    async run(ask) {
      const question = words(
        "Call the tool report for this person: Ada speaks English and French, and lives in London at number 12.",
      )
      const reply = await ask({ messages: [says(question)], tools: [report] })
      if (reply.failure) return wrong(reply.failure)
      const [call] = callsIn(reply)
      if (!call) return { state: "no", says: "it answered in words" }
      const check = readSchema(person)
      const complaints = check.ok ? check.value(call.input) : [check.failure]
      return complaints.length === 0
        ? { state: "ok", says: "the data fit the schema" }
        : { state: "no", says: `the data did not fit the schema: ${shortened(complaints.join(" "))}` }
    },
  },
]

const wrong = ({ message }: ModelFailure): ProbeResult => ({ state: "wrong", says: firstLine(message) })
/** What the model cannot take is refused; anything else says nothing about the model. */
const cannot = ({ kind, message }: ModelFailure): ProbeResult => ({
  state: kind === "rejected" || kind === "malformed" ? "no" : "wrong",
  says: `the server refused it: ${firstLine(message)}`,
})

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > 80 ? `${line.slice(0, 77)}...` : line
}

const callsIn = ({ content }: ProbeAnswer): readonly (AssistantBlock & { readonly type: "tool_use" })[] =>
  content.filter((block) => block.type === "tool_use")

const back = ({ content }: ProbeAnswer): Message => ({ role: "assistant", content })

const results = (reply: ProbeAnswer, content: string): Message => ({
  role: "user",
  content: callsIn(reply).map(({ id }) => ({ type: "tool_result", tool_use_id: id, content })),
})

/** The whole answer of one request, or what there was of it when it was stopped. */
async function answer(
  models: Model,
  request: Request,
  signal: AbortSignal,
  until?: "first words",
): Promise<ProbeAnswer> {
  const own = new AbortController()
  const reply = openReply()
  for await (const event of models.stream(request, AbortSignal.any([signal, own.signal]))) {
    reply.onEvent(event)
    if (until !== undefined && event.type === "text_delta") own.abort()
  }
  const content = reply.blocks()
  const text = [textOf(content), reply.unfinishedText()].join("")
  return { content, text, usage: reply.usage(), ...optional("failure", reply.failure()) }
}
