/** Hands a message to a program of this machine that sends mail, such as sendmail or msmtp. */

import type { Clock } from "#lib/clock.ts"

export interface MailProgram {
  /** The program and its arguments; it reads who gets the message from its headers. No shell is involved. */
  readonly command: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly clock: Clock
}

const longestMs = 30_000

/** What could end up as a header of its own, or as an option of a program, is no address. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~][\w.!#$%&'*+/=?^`{|}~-]*@[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text)

/** Whether the program took it. */
export async function sendMail(
  { command, env, clock }: MailProgram,
  message: string,
  signal: AbortSignal,
): Promise<boolean> {
  const late = new AbortController()
  const stop = clock.after(longestMs, () => late.abort())
  try {
    const child = Bun.spawn([...command], {
      env,
      stdin: new TextEncoder().encode(message),
      stdout: "ignore",
      stderr: "ignore",
      signal: AbortSignal.any([signal, late.signal]),
    })
    return (await child.exited) === 0
  } catch {
    return false
  } finally {
    stop()
  }
}
