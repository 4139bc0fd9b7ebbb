/** What the scripted model says, as bytes of the Messages API's stream. */

const utf8 = new TextEncoder()

type Fields = { readonly [name: string]: unknown }

const event = (fields: Fields): string => `event: ${String(fields.type)}\ndata: ${JSON.stringify(fields)}\n\n`

const usage = { input_tokens: 3, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

const start = (id: string): string =>
  event({
    type: "message_start",
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  })

const end = (reason: string): string =>
  event({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 20 } }) +
  event({ type: "message_stop" })

const block = (index: number, content_block: Fields, delta: Fields): string =>
  event({ type: "content_block_start", index, content_block }) +
  event({ type: "content_block_delta", index, delta }) +
  event({ type: "content_block_stop", index })

const text = (index: number, words: string): string =>
  block(index, { type: "text", text: "" }, { type: "text_delta", text: words })

/** A call of a tool. */
export interface Use {
  readonly name: string
  readonly input: Fields
}

const use = (index: number, id: string, { name, input }: Use): string =>
  block(
    index,
    { type: "tool_use", id, name, input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
  )

/** A last answer. */
export const says = (words: string): Uint8Array => utf8.encode(start("msg_last") + text(0, words) + end("end_turn"))

/** An answer that ran into the limit of output. */
export const cutOff = (words: string): Uint8Array => utf8.encode(start("msg_cut") + text(0, words) + end("max_tokens"))

/** An answer that calls tools; `step` keeps ids apart. */
export const calls = (step: number, ...uses: readonly Use[]): Uint8Array =>
  utf8.encode(start(`msg_${step}`) + uses.map((one, i) => use(i, `toolu_${step}_${i}`, one)).join("") + end("tool_use"))

/** An answer whose call is complete long before its end: the call, in two parts, pieces of text to be sent slowly, and the end. */
export function callsThenTalks(
  step: number,
  call: Use,
  pieces: number,
): {
  readonly begun: Uint8Array
  readonly call: Uint8Array
  readonly talk: readonly Uint8Array[]
  readonly end: Uint8Array
} {
  const whole = use(0, `toolu_${step}_0`, call)
  const head = whole.indexOf("event: content_block_delta")
  const delta = event({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "and so on " } })
  return {
    begun: utf8.encode(start(`msg_${step}`) + whole.slice(0, head)),
    call: utf8.encode(whole.slice(head)),
    talk: [
      utf8.encode(event({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } })),
      ...Array.from({ length: pieces }, () => utf8.encode(delta)),
    ],
    end: utf8.encode(event({ type: "content_block_stop", index: 1 }) + end("tool_use")),
  }
}

export const reads = (path: string): Use => ({ name: "Read", input: { file_path: path } })
export const runs = (command: string): Use => ({ name: "Bash", input: { command } })
export const searches = (pattern: string): Use => ({ name: "Grep", input: { pattern } })

/** A long answer in small pieces, as fast as is said; its last words are `the very end`. */
export function talks({
  tokensPerSecond,
  seconds,
}: {
  readonly tokensPerSecond: number
  readonly seconds: number
}): (Uint8Array | { readonly pauseMs: number })[] {
  const everyMs = 10
  const perPause = Math.round((tokensPerSecond * everyMs) / 1000)
  const delta = (words: string): string =>
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } })
  const pieces: (Uint8Array | { readonly pauseMs: number })[] = [
    utf8.encode(
      start("msg_talk") + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ),
  ]
  let said = 0
  for (let i = 0; i < (seconds * 1000) / everyMs; i++) {
    const words = Array.from({ length: perPause }, () => delta(++said % 90 === 0 ? "word.\n\n" : "word "))
    pieces.push(utf8.encode(words.join("")), { pauseMs: everyMs })
  }
  return [
    ...pieces,
    utf8.encode(delta("the very end") + event({ type: "content_block_stop", index: 0 }) + end("end_turn")),
  ]
}
