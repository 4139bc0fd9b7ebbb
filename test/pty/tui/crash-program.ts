/** A conversation whose screen fails as soon as a key is pressed: the real face, the real terminal, and a broken port. */

import { converseOnScreen } from "#faces/cli/on-screen.ts"
import { openIo } from "#faces/cli/io.ts"
import { parseArguments } from "#faces/cli/argv.ts"
import { flags } from "#faces/cli/flags.ts"
import { readSetting } from "#faces/cli/setting.ts"
import { startSession } from "#faces/cli/start.ts"

const io = openIo()
const parsed = parseArguments([], flags)
const setting = parsed.ok ? await readSetting(parsed.value) : undefined
if (!parsed.ok || !setting?.ok) throw new Error("the settings cannot be read")
const started = await startSession(parsed.value, setting.value, "terminal")
if (!started.ok) throw new Error(started.failure.message)
const { session, models } = started.value
let fails = false
process.stdin.once("data", () => {
  fails = true
})
const broken = {
  ...session,
  state: () => {
    if (fails) throw new Error("a mistake of ours")
    return session.state()
  },
}
const code = await converseOnScreen({ session: broken, models, prompt: "", setting: setting.value, io })
await started.value.close()
await io.flushed()
process.exit(typeof code === "number" ? code : 9)
