/** A session in this process for a program that imports us: as the executable would open it with these flags. */

import type { Start } from "#faces/library/query.ts"
import { channel } from "#lib/channel.ts"
import { parseArguments } from "./flags/argv.ts"
import { flags } from "./flags/flags.ts"
import { foreignFlags, foreignIn } from "./flags/foreign-flags.ts"

/** What serves a session is loaded when the first one is asked for. */
export const startInProcess: Start = (words, { cwd, env, stop, warn }) => {
  const heard = channel<object>()
  const messages = channel<object>()

  async function serve(): Promise<number> {
    const parsed = parseArguments<string>(words, [...flags, ...foreignFlags])
    const foreign = parsed.ok ? foreignIn(parsed.value) : undefined
    const wrong = parsed.ok ? foreign?.refused : parsed.failure.message
    if (!parsed.ok || wrong !== undefined) {
      warn(wrong ?? "")
      return 1
    }
    for (const note of foreign?.notes ?? []) warn(note)
    const { serveOver } = await import("./client.ts")
    const { fromObjects } = await import("#faces/headless/sdk/transport.ts")
    const ends = { input: fromObjects(heard), send: messages.push, written: async () => {}, warn, fail: warn, stop }
    return serveOver(parsed.value, ends, cwd, env)
  }

  const ended = serve()
    .catch((error: unknown) => {
      warn(`Codewright stopped because of a bug. What was recorded is kept.\n${String(error)}`)
      return 1
    })
    .finally(() => messages.close())
  return { send: heard.push, messages, close: heard.close, ended }
}
