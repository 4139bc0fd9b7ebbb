/** One long answer as the bytes of each wire format, written as each provider writes it. */

export interface FormatStream {
  readonly contentType: string
  /** Before the text, each piece of it, and after it. */
  readonly start: readonly Uint8Array[]
  readonly pieces: readonly Uint8Array[]
  readonly end: readonly Uint8Array[]
}

type Json = { readonly [name: string]: unknown }

/** Words, code and line ends, about a token each. */
const words: readonly string[] = [
  "The",
  " function",
  " `open",
  "Port`",
  " returns",
  ' "ok"',
  " when",
  " it",
  " is",
  " done",
  ".",
  "\n\n",
  "-",
  " next",
  " step",
  "\n",
]

const piecesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => words[i % words.length] ?? "")

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const named = (fields: Json): Uint8Array => bytes(`event: ${String(fields.type)}\ndata: ${JSON.stringify(fields)}\n\n`)
const unnamed = (fields: Json): Uint8Array => bytes(`data: ${JSON.stringify(fields)}\n\n`)

function messageEvents(texts: readonly string[]): {
  readonly start: readonly Json[]
  readonly pieces: readonly Json[]
  readonly end: readonly Json[]
} {
  const usage = { input_tokens: 3, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = { id: "msg_013Zva2CMHLNnXjNJJKqJ2EF", type: "message", role: "assistant", content: [], usage }
  return {
    start: [
      { type: "message_start", message: { ...message, model: "claude-opus-5", stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    pieces: texts.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    end: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ],
  }
}

export function messagesStream(count: number): FormatStream {
  const { start, pieces, end } = messageEvents(piecesOf(count))
  const contentType = "text/event-stream"
  return { contentType, start: start.map(named), pieces: pieces.map(named), end: end.map(named) }
}

export function bedrockStream(count: number): FormatStream {
  const { start, pieces, end } = messageEvents(piecesOf(count))
  const contentType = "application/vnd.amazon.eventstream"
  return { contentType, start: start.map(frame), pieces: pieces.map(frame), end: end.map(frame) }
}

export function chatStream(count: number): FormatStream {
  const chunk = (delta: Json, finish_reason: string | null): Uint8Array =>
    unnamed({
      id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
      object: "chat.completion.chunk",
      created: 1_741_570_283,
      model: "gpt-5-2025-08-07",
      service_tier: "default",
      system_fingerprint: "fp_fc9f1d7035",
      choices: [{ index: 0, delta, finish_reason }],
      usage: null,
    })
  return {
    contentType: "text/event-stream",
    start: [chunk({ role: "assistant", content: "", refusal: null }, null)],
    pieces: piecesOf(count).map((content) => chunk({ content }, null)),
    end: [chunk({}, "stop"), bytes("data: [DONE]\n\n")],
  }
}

export function responsesStream(count: number): FormatStream {
  const id = "msg_67ccd3acc8d48190a77525dc6de64b4104becb25c45c1d41"
  const response = { id: "resp_67ccd3a9da748190baa7f1570fe91ac604becb25c45c1d41", model: "gpt-5-2025-08-07" }
  const item = { id, type: "message", status: "in_progress", content: [], role: "assistant" }
  const texts = piecesOf(count)
  return {
    contentType: "text/event-stream",
    start: [
      named({ type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress" } }),
      named({ type: "response.output_item.added", sequence_number: 1, output_index: 0, item }),
    ],
    pieces: texts.map((delta, i) =>
      named({
        type: "response.output_text.delta",
        sequence_number: i + 2,
        item_id: id,
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
        obfuscation: "aB3xYz9Qw2Lm7".slice(i % 8),
      }),
    ),
    end: [
      named({
        type: "response.output_item.done",
        output_index: 0,
        item: { ...item, status: "completed", content: [{ type: "output_text", text: texts.join("") }] },
      }),
      named({ type: "response.completed", response: { ...response, status: "completed", output: [] } }),
    ],
  }
}

export function geminiStream(count: number): FormatStream {
  const chunk = (text: string, tokens: number, finishReason?: string): Uint8Array =>
    unnamed({
      candidates: [{ content: { parts: [{ text }], role: "model" }, ...(finishReason && { finishReason }), index: 0 }],
      usageMetadata: {
        promptTokenCount: 8,
        candidatesTokenCount: tokens,
        totalTokenCount: tokens + 8,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 8 }],
      },
      modelVersion: "gemini-4-argon",
      responseId: "kYfLaKa8Cd2-nsEPvJ2T0AE",
    })
  return {
    contentType: "text/event-stream",
    start: [],
    pieces: piecesOf(count).map((text, i) => chunk(text, i + 1)),
    end: [chunk("", count, "STOP")],
  }
}

/** As Amazon frames an event of the Messages API. */
function frame(event: Json): Uint8Array {
  const header = (name: string, value: string): Buffer =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, 0, value.length]),
      Buffer.from(value),
    ])
  const head = Buffer.concat([
    header(":event-type", "chunk"),
    header(":content-type", "application/json"),
    header(":message-type", "event"),
  ])
  const inside = Buffer.from(JSON.stringify(event)).toString("base64")
  const payload = Buffer.from(JSON.stringify({ bytes: inside, p: "abcdefghijklmn" }))
  const lengths = Buffer.alloc(12)
  lengths.writeUInt32BE(12 + head.length + payload.length + 4, 0)
  lengths.writeUInt32BE(head.length, 4)
  lengths.writeUInt32BE(Bun.hash.crc32(lengths.subarray(0, 8)), 8)
  const whole = Buffer.concat([lengths, head, payload])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(Bun.hash.crc32(whole))
  return Buffer.concat([whole, checksum])
}
