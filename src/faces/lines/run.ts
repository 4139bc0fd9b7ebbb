/** A conversation in plain lines: prompts are read as lines, everything else is printed as it happens. */

import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { Session } from "#session/port/session.ts"
import type { LineInput } from "./input.ts"
import { openSpeech } from "./say.ts"
import { withdrawInLines } from "./unsent.ts"
import { openWatch } from "./watch.ts"

export interface LinesRun {
  readonly session: Session
  /** The first prompt, if it was given with the command. */
  readonly prompt: string | undefined
  readonly write: (text: string) => void
  /** Begins to read; `unasked` gets the lines that come while nobody asks for one. */
  readonly openInput: (unasked: (line: string) => void) => LineInput
  readonly clock: Clock
  readonly ids: Ids
}

/** Converses until the user leaves or the input ends, and closes the session; gives the conversation to continue with, if one was chosen. */
export async function runLines({
  session,
  prompt,
  write,
  openInput,
  clock,
  ids,
}: LinesRun): Promise<NextConversation | undefined> {
  const { hear, isTyped } = openSpeech(session, ids, write)
  const left = new AbortController()
  let instead: NextConversation | undefined
  // What is said while it works goes in after the tools under way.
  const input = openInput((line) => void take(line, "steer"))
  const { opened } = await session.ask({ type: "about" })
  const watch = openWatch({ session, after: opened, input, clock, write, isTyped })

  async function take(line: string, when: "steer" | "queue"): Promise<void> {
    const heard = await hear(line, when)
    if (heard === "said") return
    if (heard.resume !== undefined) instead = { resume: heard.resume, ...(heard.fork && { fork: heard.fork }) }
    left.abort()
    void session.submit({ type: "interrupt" })
  }

  // What an earlier run left queued is not sent without being seen.
  if (opened !== "beginning") await session.submit(withdrawInLines)
  let next = prompt ?? (await input.ask("> ", left.signal))
  while (next !== undefined) {
    await take(next, "queue")
    await watch.caughtUp()
    next = await input.ask("> ", left.signal)
  }
  await session.close()
  await watch.ended
  return instead
}
