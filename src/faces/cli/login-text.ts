/** `/login` and `/logout` as text; a face that can hide what is typed asks for the key itself. */

import type { SlashAnswer } from "#session/opening/program.ts"
import { keyInUse } from "./key-in-use.ts"
import { forgetKeptKey } from "./login.ts"
import { type ProgramParts, refused, said } from "./program-parts.ts"

export async function loginAnswer(_: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const { source, which, notes } = keyInUse(setting)
  return said(
    [
      source === "none" ? "No API key is in use." : `${which} is in use.`,
      ...notes,
      "To change the key, run codewright login in another terminal. This session uses the new key from its next request on.",
    ].join("\n"),
  )
}

export async function logoutAnswer(_: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const done = forgetKeptKey(setting)
  return done.ok ? said(done.value) : refused(done.failure)
}
