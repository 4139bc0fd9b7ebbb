/** A conversation whose screen fails as soon as a key is pressed: the real face, the real terminal, and a broken port. */

import { converseOnScreen } from "#faces/cli/terminal/on-screen.ts"
import { openIo } from "#faces/cli/io.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"
import type { Session } from "#session/port/session.ts"

const io = openIo()
const parsed = parseArguments([], flags)
const setting = parsed.ok ? await readSetting(parsed.value) : undefined
if (!parsed.ok || !setting?.ok) throw new Error("the settings cannot be read")
const started = await startSession(parsed.value, setting.value, "terminal")
if (!started.ok) throw new Error(started.failure.message)
const { session, models } = started.value
const mistake = Promise.withResolvers<never>()
process.stdin.once("data", () => mistake.reject(new Error("a mistake of ours")))
const broken: Session = {
  ...session,
  async *events(after) {
    const events = session.events(after)[Symbol.asyncIterator]()
    for (;;) {
      const next = await Promise.race([events.next(), mistake.promise])
      if (next.done) return
      yield next.value
    }
  },
}
const code = await converseOnScreen({ session: broken, models, prompt: "", setting: setting.value, io })
await started.value.close()
await io.flushed()
process.exit(typeof code === "number" ? code : 9)
