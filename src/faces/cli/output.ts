/** Writing to a terminal or a pipe: in order, without stopping the agent, and whole before the exit. */

import { never } from "#lib/never.ts"

export interface Output {
  readonly write: (text: string) => void
  /** Resolves when everything written has left the process. */
  readonly flushed: () => Promise<void>
}

export type Sink = "stdout" | "stderr"

export function openOutput(sink: Sink): Output {
  const stream = streamOf(sink)
  let broken = false
  let pending = Promise.resolve()
  // A reader that went away (head, a closed pager) is no reason to stop the work or to print a stack.
  stream.on("error", () => (broken = true))
  return {
    write(text) {
      if (broken || text === "") return
      pending = new Promise((resolve) => stream.write(text, () => resolve()))
    },
    flushed: () => (broken ? Promise.resolve() : pending),
  }
}

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
