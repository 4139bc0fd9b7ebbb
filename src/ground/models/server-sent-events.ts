/** Server-sent events, all those of one piece of a stream at once: an answer consists of thousands. */

export interface RawEvent {
  readonly event: string | null
  readonly data: string
}

/** How the events of a stream are told apart on the wire. */
export interface Framing {
  /** The content type that announces it. */
  readonly type: string
  /** Throws when the stream cannot be trusted any more. Never gives an empty list. */
  readonly events: (body: ReadableStream<Uint8Array>) => AsyncIterator<readonly RawEvent[]>
}

/** Never gives an empty list: what brings no event to its end, such as a comment, is not news. */
export function eventsIn(body: ReadableStream<Uint8Array>): AsyncIterableIterator<readonly RawEvent[]> {
  // A mark at the beginning is left out by the decoder.
  const decoder = new TextDecoder("utf-8")
  const reader = openEventReader()
  const pieces = body.getReader()

  // Not a generator: each piece would wait for it.
  async function next(): Promise<IteratorResult<readonly RawEvent[], undefined>> {
    for (;;) {
      const { done, value } = await pieces.read()
      const events = done ? reader.end(decoder.decode()) : reader.push(decoder.decode(value, { stream: true }))
      if (events.length > 0) return { done: false, value: events }
      if (done) return { done, value: undefined }
    }
  }
  return {
    next,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

export const serverSentEvents: Framing = { type: "text/event-stream", events: eventsIn }

interface EventReader {
  readonly push: (text: string) => readonly RawEvent[]
  readonly end: (text: string) => readonly RawEvent[]
}

function openEventReader(): EventReader {
  let rest = ""
  let event: string | null = null
  let data: string | undefined

  /** An empty line ends an event. */
  function line(text: string, from: number, to: number, out: RawEvent[]): void {
    if (from === to) {
      if ((event !== null && event !== "") || data !== undefined) out.push({ event, data: data ?? "" })
      event = null
      data = undefined
    } else if (text.startsWith("data", from)) {
      const value = valueOf(text, from + "data".length, to)
      if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith("event", from)) event = valueOf(text, from + "event".length, to) ?? event
  }

  function push(more: string): RawEvent[] {
    const text = rest === "" ? more : rest + more
    const out: RawEvent[] = []
    const hasReturns = text.includes("\r")
    let from = 0
    for (;;) {
      const to = hasReturns ? lineEnd(text, from) : text.indexOf("\n", from)
      if (to === -1) break
      line(text, from, to, out)
      from = to + (text.startsWith("\r\n", to) ? 2 : 1)
    }
    rest = text.slice(from)
    return out
  }

  return {
    push,
    end(last) {
      const out = push(last)
      const text = rest.replace(/\r$/, "")
      if (text !== rest || text !== "") line(text, 0, text.length, out)
      rest = ""
      return out
    },
  }
}

/** A return at the very end may be half of a line end. */
function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === newline || (code === carriageReturn && at + 1 < text.length)) return at
  }
  return -1
}

const [newline, carriageReturn, colon, space] = [10, 13, 58, 32]

/** Undefined if the name of the field is longer. */
function valueOf(text: string, after: number, to: number): string | undefined {
  if (after === to) return ""
  if (text.charCodeAt(after) !== colon) return undefined
  return text.slice(after + 1 < to && text.charCodeAt(after + 1) === space ? after + 2 : after + 1, to)
}
