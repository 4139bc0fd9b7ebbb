/** Writing to a terminal or a pipe: in order, without stopping the agent, and whole before the exit. */

import { fstatSync } from "node:fs"
import { deferred } from "#lib/deferred.ts"

export interface Output {
  readonly write: (text: string) => void
  /** Resolves when everything written has left the process. */
  readonly flushed: () => Promise<void>
  readonly isTerminal: () => boolean
  /** Resolves when nothing that is written arrives any more. */
  readonly broken: Promise<void>
  /** Resolves when the reader has closed it: not where it was closed from the start, or its disk is full. */
  readonly unread: Promise<void>
  /** Why output was lost, unless the reader closed it. */
  readonly lost: () => string | undefined
}

export type Sink = "stdout" | "stderr"

export function openOutput(sink: Sink): Output {
  const broken = deferred<void>()
  const unread = deferred<void>()
  let writer: Bun.FileSink | undefined
  let isBroken = false
  let lost: string | undefined
  let pending = Promise.resolve()

  // A reader that went away (head, a closed pager) is no reason to print a stack.
  const fail = (error: NodeJS.ErrnoException): void => {
    isBroken = true
    if (isGone(error, isTerminal(sink))) unread.resolve()
    else lost ??= error.message
    broken.resolve()
  }

  return {
    broken: broken.promise,
    unread: unread.promise,
    lost: () => lost,
    isTerminal: () => isTerminal(sink),
    write(text) {
      if (isBroken || text === "") return
      // The streams of `process` would take longer to load than the last step of a run takes.
      pending = send((writer ??= Bun[sink].writer()), text).catch(fail)
    },
    flushed: () => Promise.race([pending, broken.promise]),
  }
}

/** Called together: earlier text leaves first, and none of it waits for the next. */
async function send(writer: Bun.FileSink, text: string): Promise<void> {
  await Promise.all([writer.write(text), writer.flush()])
}

/** A pipe reports a closed reader with EPIPE, a closed terminal window with EIO. */
const isGone = ({ code }: NodeJS.ErrnoException, onTerminal: boolean): boolean =>
  code === "EPIPE" || (code === "EIO" && onTerminal)

/** Only a device can be a terminal, so the stream need not be loaded for anything else. */
function isTerminal(sink: Sink): boolean {
  try {
    if (!fstatSync(sink === "stdout" ? 1 : 2).isCharacterDevice()) return false
    return (sink === "stdout" ? process.stdout : process.stderr).isTTY === true
  } catch {
    return false
  }
}
