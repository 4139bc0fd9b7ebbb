/** Writing to a terminal or a pipe: in order, without stopping the agent, and whole before the exit. */

import { deferred } from "#lib/deferred.ts"
import { never } from "#lib/never.ts"

export interface Output {
  readonly write: (text: string) => void
  /** Resolves when everything written has left the process. */
  readonly flushed: () => Promise<void>
  readonly isTerminal: () => boolean
  /** Why what was written is lost, when that is not because the reader went away. */
  readonly lost: () => string | undefined
}

export type Sink = "stdout" | "stderr"

export function openOutput(sink: Sink): Output {
  const broken = deferred<void>()
  let stream: NodeJS.WriteStream | undefined
  let isBroken = false
  let lost: string | undefined
  let pending = Promise.resolve()

  const fail = (error: NodeJS.ErrnoException): void => {
    isBroken = true
    if (!isGone(error, stream?.isTTY === true)) lost = error.message
    broken.resolve()
  }

  // Opened when something is written: a stream that is not needed takes longer to load than most commands run.
  const open = (): NodeJS.WriteStream => {
    const opened = streamOf(sink)
    // A reader that went away (head, a closed pager) is no reason to stop the work or to print a stack.
    opened.on("error", fail)
    return opened
  }

  return {
    lost: () => lost,
    isTerminal: () => (stream ??= open()).isTTY,
    write(text) {
      if (isBroken || text === "") return
      const to = (stream ??= open())
      pending = new Promise((resolve) =>
        to.write(text, (error) => {
          if (error) fail(error)
          resolve()
        }),
      )
    },
    // What was written to a reader that is gone is never called back.
    flushed: () => Promise.race([pending, broken.promise]),
  }
}

/** A pipe says that its reader left by EPIPE, a terminal whose window was closed by EIO. */
const isGone = ({ code }: NodeJS.ErrnoException, isTerminal: boolean): boolean =>
  code === "EPIPE" || (code === "EIO" && isTerminal)

function streamOf(sink: Sink): NodeJS.WriteStream {
  switch (sink) {
    case "stdout":
      return process.stdout
    case "stderr":
      return process.stderr
    default:
      return never(sink)
  }
}
