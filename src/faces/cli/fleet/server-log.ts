/** What a server or worker says on standard error while it runs: sentences for people, or a line of JSON each for programs that collect logs. */

import type { Clock } from "#lib/clock.ts"
import { stripControls } from "#lib/printable.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"

export const logFlag: Flag<"log-format"> = {
  name: "log-format",
  kind: "value",
  choices: ["text", "json"],
  about: "How the log is written to standard error: sentences (the default), or a line of JSON for each.",
}

/** The same sentence so often in a minute; what comes beyond that is counted. */
const [mostAlike, alikeMs] = [5, 60_000]
/** Nobody says more different things in a minute. */
const mostKnown = 1_000

export interface LogLine {
  readonly time: string
  readonly level: "info" | "warning" | "error"
  readonly program: "serve" | "worker"
  readonly pid: number
  readonly message: string
}

/** The same ways to talk, with the log as wished. */
export function withLog(
  io: Io,
  {
    format,
    program,
    clock,
  }: { readonly format: string | undefined; readonly program: LogLine["program"]; readonly clock: Clock },
): Io {
  const known = new Map<string, { readonly since: number; count: number }>()
  const write = (text: string): void =>
    format === "json" ? io.writeAside(`${JSON.stringify(lineOf(text, program, clock.now()))}\n`) : io.warn(text)

  function warn(text: string): void {
    const now = clock.now()
    for (const [said, { since, count }] of known) {
      if (Math.abs(now - since) < alikeMs && known.size <= mostKnown) continue
      known.delete(said)
      if (count > mostAlike) write(`${said} (and ${count - mostAlike} more times within a minute)`)
    }
    const before = known.get(text)
    if (before) before.count++
    else known.set(text, { since: now, count: 1 })
    if ((before?.count ?? 1) <= mostAlike) write(text)
  }
  return {
    ...io,
    warn,
    fail(message) {
      warn(`error: ${message}`)
      return 1
    },
  }
}

function lineOf(text: string, program: LogLine["program"], now: number): LogLine {
  const [, level, message] = /^(warning|error): (.*)$/s.exec(text) ?? []
  return {
    time: new Date(now).toISOString(),
    level: level === "warning" || level === "error" ? level : "info",
    program,
    pid: process.pid,
    message: stripControls(message ?? text),
  }
}
