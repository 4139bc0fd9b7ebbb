/** What a command has to talk to the user or program that started it. */

import { deferred } from "#lib/deferred.ts"
import { stripControls } from "#lib/printable.ts"
import { wrapWords } from "#lib/wrap-words.ts"
import { openOutput, type Output, type Sink } from "./output.ts"

export interface Io {
  readonly write: (text: string) => void
  /** Lines for people: without escape sequences, and on a terminal broken between words. */
  readonly say: (text: string) => void
  /** What `say` writes. */
  readonly lines: (text: string) => string
  /** Of standard output; 0 where it is no terminal. */
  readonly columns: () => number
  /** Foreign text: unchanged into a pipe, without escape sequences onto a terminal. */
  readonly writeForeign: (text: string) => void
  /** To standard error, unchanged. */
  readonly writeAside: (text: string) => void
  /** One line on standard error. */
  readonly warn: (line: string) => void
  /** Prints the message and returns the exit code for it. */
  readonly fail: (message: string) => number
  /** Resolves with the exit code when the process is told to stop. */
  readonly untilStopped: () => Promise<number>
  /** Resolves when nothing that is written to standard output arrives any more. */
  readonly readerGone: Promise<void>
  /** Resolves when whoever read standard output has closed it. */
  readonly unread: Promise<void>
  /** Resolves when all output is written, with the reason if that failed, as on a full disk. */
  readonly flushed: () => Promise<string | undefined>
}

export function openIo(): Io {
  const out = openOutput("stdout")
  const err = openOutput("stderr")
  const warn = (line: string): void => err.write(linesFor(err, "stderr", line))
  return {
    write: out.write,
    say: (text) => out.write(linesFor(out, "stdout", text)),
    lines: (text) => linesFor(out, "stdout", text),
    columns: () => columnsOf(out, "stdout"),
    writeForeign: (text) => out.write(out.isTerminal() ? stripControls(text) : text),
    writeAside: err.write,
    warn,
    fail(message) {
      warn(`error: ${message}`)
      return 1
    },
    untilStopped() {
      const stopped = deferred<number>()
      process.once("SIGINT", () => stopped.resolve(130))
      process.once("SIGTERM", () => stopped.resolve(143))
      process.once("SIGHUP", () => stopped.resolve(129))
      return stopped.promise
    },
    readerGone: out.broken,
    unread: out.unread,
    async flushed() {
      await Promise.all([out.flushed(), err.flushed()])
      return out.lost()
    },
  }
}

/** 0 unless it is a terminal that knows its width. */
const columnsOf = (output: Output, sink: Sink): number =>
  output.isTerminal() ? ((sink === "stdout" ? process.stdout : process.stderr).columns ?? 0) : 0

function linesFor(output: Output, sink: Sink, text: string): string {
  const shown = stripControls(text)
  const columns = columnsOf(output, sink)
  return `${columns > 0 ? wrapWords(shown, columns) : shown}\n`
}
