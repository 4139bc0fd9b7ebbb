/** `/login` and `/logout` as text; a face that can hide what is typed asks for the key itself. */

import type { SlashAnswer } from "#session/opening/program.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import { keyInUse } from "./key-in-use.ts"
import { forgetKeptKey } from "./login.ts"
import { type ProgramParts, refused, said } from "./program-parts.ts"
import { startedAs } from "./started-as.ts"

export async function loginAnswer(_: string, { setting, session }: ProgramParts): Promise<SlashAnswer> {
  const { source, which, notes } = keyInUse(setting)
  const { model } = await session.ask({ type: "state" })
  const isNone = source === "none"
  return said(
    [
      isNone ? "No API key is in use." : `${which} is in use.`,
      ...notes,
      `To ${isNone ? "add a" : "change the"} key, run ${startedAs(setting.home)} login in another terminal.`,
      isSimulated(model)
        ? "Then choose a model here with /model: the simulator needs no key."
        : "This session uses the new key from its next request on.",
    ].join("\n"),
  )
}

export async function logoutAnswer(_: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const done = forgetKeptKey(setting)
  return done.ok ? said(done.value) : refused(done.failure)
}
