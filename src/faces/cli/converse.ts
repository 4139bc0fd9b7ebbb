/** A conversation in the terminal: an editor for one line, and what its keys mean. */

import { createInterface } from "node:readline"
import { openLineInput } from "#faces/lines/input.ts"
import { interruptInLines } from "#faces/lines/unsent.ts"
import { runLines } from "#faces/lines/run.ts"
import { systemClock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import { systemIds } from "#lib/ids.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { Session } from "#session/port/session.ts"
import type { Io } from "./io.ts"
import { onTermination } from "./signals.ts"

/** Converses until the user leaves, and gives the exit code, or the conversation to continue with instead. */
export async function converse(session: Session, prompt: string, io: Io): Promise<number | NextConversation> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  let leaves = false

  /** While it works, Ctrl+C stops it; while it waits, Ctrl+C takes back the line, and leaves when there is none, at the second press. */
  const onInterrupt = async (): Promise<void> => {
    const { turns, lastEnd } = await session.ask({ type: "state" })
    if (turns > 0 && lastEnd === undefined) return void session.submit(interruptInLines)
    if (leaves) return reader.close()
    leaves = true
    io.write("\nPress Ctrl+C again or Ctrl+D to quit.\n")
    reader.write(null, { ctrl: true, name: "e" })
    reader.write(null, { ctrl: true, name: "u" })
    reader.prompt()
  }
  const termination = onTermination((graceMs) => {
    void session.submit({ type: "interrupt", ...given("graceMs", graceMs) })
    reader.close()
  }, systemClock)
  // A terminal that is gone can no longer be set back; the end of the input says all there is to know.
  const ignore = (): void => {}
  process.stdin.on("error", ignore)
  reader.on("error", ignore)
  reader.on("SIGINT", () => void onInterrupt())
  process.on("SIGINT", () => void onInterrupt())

  const { cwd, model } = await session.ask({ type: "state" })
  io.writeForeign(`Codewright in ${cwd}, with ${model}. Ctrl+C to interrupt, Ctrl+D to quit.\n`)
  const next = await runLines({
    session,
    prompt: prompt === "" ? undefined : prompt,
    write: io.write,
    clock: systemClock,
    ids: systemIds,
    openInput(unasked) {
      const input = openLineInput({ show }, unasked)
      reader.on("line", (line) => {
        leaves = false
        input.take(line)
      })
      reader.on("close", input.end)
      return input
    },
  })
  reader.close()
  io.write("\n")
  return termination.code() ?? next ?? 0

  function show(words: string): void {
    reader.setPrompt(words)
    reader.prompt()
  }
}
