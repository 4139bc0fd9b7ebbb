/** `/login` and `/logout` as text; a face that can hide what is typed asks for the key itself. */

import { isSimulated } from "#ground/models/model-id.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { foundProviders } from "./found-providers.ts"
import { keyInUse } from "./key-in-use.ts"
import { loggedOut } from "./keep-key.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import { providerLines } from "./provider-lines.ts"
import { startedAs } from "#faces/cli/started-as.ts"

export async function loginAnswer(_: string, { setting, session }: ProgramParts): Promise<SlashAnswer> {
  const { model } = await session.ask({ type: "state" })
  const login = `${startedAs(setting.home)} login`
  const rows = await foundProviders(setting, "nobody", new AbortController().signal)
  return said(
    [
      providerLines(
        rows.filter(({ takesKey }) => takesKey),
        login,
      ),
      ...keyInUse(setting).notes,
      `To add or change a key, run ${login} in another terminal.`,
      isSimulated(model)
        ? "Then choose a model here with /model: the simulator needs no key."
        : "This session uses the new key from its next request on.",
    ].join("\n"),
  )
}

export async function logoutAnswer(words: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const done = loggedOut(setting, words.trim() === "" ? undefined : words.trim())
  return done.ok ? said(done.value) : refused(done.failure)
}
