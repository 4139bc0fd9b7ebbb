/** A conversation in plain lines: prompts are read as lines, everything else is printed as it happens. */

import type { PromptBlock } from "#agent/words/message.ts"
import { unknownCommand } from "#faces/view/command-words.ts"
import type { Clock } from "#lib/clock.ts"
import type { Session } from "#session/session.ts"
import type { LineInput } from "./input.ts"
import { openWatch } from "./watch.ts"

export interface LinesRun {
  readonly session: Session
  /** The first prompt, if it was given with the command. */
  readonly prompt: string | undefined
  readonly write: (text: string) => void
  /** Begins to read; `unasked` gets the lines that come while nobody asks for one. */
  readonly openInput: (unasked: (line: string) => void) => LineInput
  readonly clock: Clock
}

/** Converses until the person leaves or the input ends, and closes the session. */
export async function runLines({ session, prompt, write, openInput, clock }: LinesRun): Promise<void> {
  const typed = new Set<PromptBlock>()
  // What is said while it works goes in after the tools under way.
  const input = openInput((line) => say(line, "steer"))
  const watch = openWatch({ session, input, clock, write, isTyped: (block) => typed.has(block) })

  function say(line: string, when: "steer" | "queue"): void {
    const block: PromptBlock = { type: "text", text: line }
    if (when === "queue") typed.add(block)
    const submitted = session.submit({ type: "prompt", content: [block], when })
    if (!submitted.ok && submitted.failure.kind === "unknown_command") write(`${unknownCommand(submitted.failure)}\n`)
    if (submitted.ok && when === "steer") write("+ It will hear this as soon as it can.\n")
  }

  let next = prompt ?? (await input.ask("> ", whileOpen))
  while (next !== undefined && !goodbyes.includes(next.trim())) {
    say(next, "queue")
    await session.settled()
    await watch.caughtUp()
    next = await input.ask("> ", whileOpen)
  }
  await session.close()
  await watch.ended
}

const goodbyes: readonly string[] = ["/exit", "/quit"]

/** The prompt is withdrawn by nothing but the end of the input. */
const whileOpen: AbortSignal = new AbortController().signal
