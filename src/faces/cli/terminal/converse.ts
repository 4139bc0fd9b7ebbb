/** A conversation in the terminal: an editor for one line, and what its keys mean. */

import { createInterface, type Interface } from "node:readline"
import { openLineInput } from "#faces/lines/input.ts"
import { openLineJoin } from "#faces/lines/join.ts"
import { type LineKeys, type MovesToBackground, runLines } from "#faces/lines/run.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { Session } from "#session/port/session.ts"
import type { Io } from "#faces/cli/io.ts"
import { interruptOp, onTermination } from "#faces/cli/signals.ts"

/** Returns the exit code, or the conversation to continue with instead. */
export async function converse(
  session: Session,
  prompt: string,
  io: Io,
  term: string | undefined,
): Promise<number | NextConversation | MovesToBackground> {
  const lines = openTerminalLines(io, term !== undefined && term !== "dumb")
  const termination = onTermination((how) => {
    void session.submit(interruptOp(how))
    lines.close()
  }, systemClock)
  const { cwd, model } = await session.ask({ type: "state" })
  io.say(`Codewright in ${cwd}, with ${model}. Ctrl+C to interrupt, Ctrl+D to quit.`)
  const next = await runLines({
    session,
    prompt: prompt === "" ? undefined : prompt,
    write: io.write,
    lines: io.lines,
    columns: io.columns,
    clock: systemClock,
    ids: systemIds,
    openInput: lines.open,
    copy: lines.copy,
  })
  lines.close()
  io.write("\n")
  return termination.code() ?? next ?? 0
}

interface TerminalLines {
  readonly open: (keys: LineKeys) => ReturnType<typeof openLineInput>
  readonly copy: (text: string) => void
  readonly close: () => void
}

const marksPastes = (isOn: boolean): string => `\u001b[?2004${isOn ? "h" : "l"}`

/** `mayMark`: the terminal understands escape sequences, so it can mark pastes and take copies. */
function openTerminalLines(io: Io, mayMark: boolean): TerminalLines {
  let isClosed = false
  let mayQuit = false
  let reader = openReader()
  let onClose = (): void => {}
  let onLine = (_: string): void => {}
  let onInterrupt = (): void => {}
  let stopHearing = (): void => {}

  function openReader(): Interface {
    const opened = createInterface({ input: process.stdin, output: process.stdout })
    // A terminal that is gone can no longer be set back; the end of the input says all there is to know.
    opened.on("error", ignore)
    opened.on("line", (line) => onLine(line))
    opened.on("SIGINT", () => onInterrupt())
    opened.on("close", () => onClose())
    return opened
  }

  function show(words: string): void {
    reader.setPrompt(words)
    reader.prompt()
  }

  function open({ unasked, interrupt, quit }: LineKeys): ReturnType<typeof openLineInput> {
    const input = openLineInput({ show }, unasked)
    const join = openLineJoin({
      clock: systemClock,
      onText: input.push,
      // After a paste that ends within a line, that line is still there to be sent.
      continues: () => reader.line === "" && show("... "),
    })
    onLine = (line) => {
      mayQuit = false
      join.push(line)
    }
    onClose = () => {
      join.end()
      // Ctrl+D closes the editor, not the terminal: there may be a question first.
      if (isClosed || process.stdin.readableEnded || process.stdin.destroyed) return input.end()
      reader = openReader()
      quit()
    }
    onInterrupt = () => void interrupted()
    const onEnd = (): void => {
      isClosed = true
      input.end()
    }
    const onKey = (_: unknown, key: { readonly name?: string } | undefined): void => {
      if (key?.name === "paste-start") join.pasteStarts()
      if (key?.name === "paste-end") join.pasteEnds()
    }
    process.on("SIGINT", onInterrupt)
    process.stdin.on("error", ignore)
    process.stdin.on("end", onEnd)
    process.stdin.on("keypress", onKey)
    stopHearing = () => {
      process.off("SIGINT", onInterrupt)
      process.stdin.off("end", onEnd)
      process.stdin.off("keypress", onKey)
    }
    if (mayMark) io.write(marksPastes(true))
    return input

    /** Ctrl+C clears what is typed, then stops what runs; with neither, the second press quits. */
    async function interrupted(): Promise<void> {
      const hadLines = join.drop()
      if ((await interrupt()) === "done") return
      if (mayQuit) return quit()
      mayQuit = !hadLines
      if (!hadLines) io.write("\nPress Ctrl+C again or Ctrl+D to quit.\n")
      reader.write(null, { ctrl: true, name: "e" })
      reader.write(null, { ctrl: true, name: "u" })
      if (!hadLines) return reader.prompt()
      io.write("\n")
      input.again()
    }
  }

  return {
    open,
    copy: (text) => mayMark && io.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`),
    close() {
      if (isClosed) return
      isClosed = true
      stopHearing()
      if (mayMark) io.write(marksPastes(false))
      reader.close()
    },
  }
}

const ignore = (): void => {}
