/** Talks to a server that is a program: one message per line, bounded, and killed when it is done. */

import type { Transport } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import { isObject } from "#lib/json.ts"
import { mostMessageBytes } from "./bounded-answer.ts"
import { longestString, type LongLine, type OpenLongText, openLongLine } from "./long-strings.ts"

export interface StdioChild {
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  readonly exited: Promise<number>
  readonly write: (text: string) => boolean
  readonly endInput: () => void
  readonly signal: (signal: NodeJS.Signals) => void
  /** After it has ended: what kept it from working that it may not know itself, as a sentence. */
  readonly account?: () => string | undefined
}

export interface StdioTransport {
  readonly transport: Transport
  /** The end of its error output. */
  readonly stderrTail: () => string
  /** What is known about how the connection ended. */
  readonly reason: () => string
}

/** By these the library knows a transport to a program, where silence is the answer of an older server. */
interface StdioMarks {
  readonly stderr: null
  readonly pid: null
}

const tailCharacters = 8_000
/** After the end of its input a server may take this long to exit, then as long again and more after a signal. */
const politeMs = 1_000
const killMs = 3_000
/** What a program wrote before it ended is read for this long; something else may keep its output open. */
const drainMs = 500

export function openStdioTransport(
  child: StdioChild,
  { clock, longText = () => undefined }: { readonly clock: Clock; readonly longText?: OpenLongText | undefined },
): StdioTransport {
  let tail = ""
  let reason = "the connection was closed"
  let isClosing = false
  let isOver = false
  let closing: Promise<void> | undefined

  async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const done = new AbortController()
    await Promise.race([work, clock.sleep(ms, done.signal)])
    done.abort()
  }

  const transport: Transport & StdioMarks = {
    stderr: null,
    pid: null,
    async start() {
      const lines = readLines(child.stdout, {
        onLine: (line) => {
          const message = parsed(line)
          if (message !== undefined) transport.onmessage?.(message)
        },
        tooLong() {
          reason = `it printed a line of more than ${mostMessageBytes / 1024 / 1024} MB`
          child.signal("SIGKILL")
        },
        longText,
      })
      const errors = readText(child.stderr, (text) => (tail = (tail + text).slice(-tailCharacters)))
      void child.exited.then(async (code) => {
        if (!isClosing && reason === "the connection was closed") reason = `the program ended with code ${code}`
        await atMost(drainMs, Promise.all([lines, errors]))
        over()
      })
    },
    async send(message) {
      if (!isClosing && !isOver && child.write(`${JSON.stringify(message)}\n`)) return
      // A program stops reading a moment before its exit is known, and the exit says more.
      await atMost(drainMs, child.exited)
      throw Object.assign(new Error(reason), { code: "CONNECTION_CLOSED" })
    },
    close: () => (closing ??= end()),
  }

  function over(): void {
    if (isOver) return
    isOver = true
    transport.onclose?.()
  }

  async function end(): Promise<void> {
    isClosing = true
    child.endInput()
    const cancels = [
      clock.after(politeMs, () => child.signal("SIGTERM")),
      clock.after(killMs, () => child.signal("SIGKILL")),
    ]
    await child.exited
    for (const cancel of cancels) cancel()
    over()
  }

  return { transport, stderrTail: () => tail, reason: () => reason }
}

export type Incoming = Parameters<NonNullable<Transport["onmessage"]>>[0]

/** Many servers print greetings and logs where only messages belong; anything else is skipped. */
function parsed(line: string): Incoming | undefined {
  if (!line.trimStart().startsWith("{")) return undefined
  try {
    const value: unknown = JSON.parse(line)
    // The library looks at the rest of the shape itself.
    return isObject(value) && value.jsonrpc === "2.0" ? (value as unknown as Incoming) : undefined
  } catch {
    return undefined
  }
}

async function readLines(
  stream: ReadableStream<Uint8Array>,
  {
    onLine,
    tooLong,
    longText,
  }: { readonly onLine: (line: string) => void; readonly tooLong: () => void; readonly longText: OpenLongText },
): Promise<void> {
  const decoder = new TextDecoder()
  // A line may come in thousands of pieces, so they are joined once, at its end.
  let parts: Uint8Array[] = []
  let long: LongLine | undefined
  let length = 0

  function add(part: Uint8Array): void {
    length += part.length
    if (long) return long.push(part)
    parts.push(part)
    if (length <= longestString) return
    long = openLongLine(longText)
    for (const one of parts) long.push(one)
    parts = []
  }
  function end(): string {
    const line = long?.end() ?? (parts.length === 1 ? decoder.decode(parts[0]) : decoder.decode(Buffer.concat(parts)))
    forget()
    return line
  }
  function forget(): void {
    parts = []
    long = undefined
    length = 0
  }

  try {
    for await (const chunk of stream) {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at))
        onLine(end())
        from = at + 1
      }
      if (from < chunk.length) add(chunk.subarray(from))
      if (length <= mostMessageBytes) continue
      forget()
      tooLong()
    }
  } catch {
    // The end of the program tells what there is to tell.
  }
}

const newline = 0x0a

async function readText(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  try {
    for await (const chunk of stream) onText(decoder.decode(chunk, { stream: true }))
  } catch {
    // The end of the program tells what there is to tell.
  }
}
