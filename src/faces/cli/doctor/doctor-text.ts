/** `/doctor`: the checks of `codewright doctor`, with the servers of this session. */

import { maskSecrets } from "#lib/mask-secrets.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { checkLine } from "./doctor.ts"
import { checks } from "./doctor-checks.ts"
import { type ProgramParts, said } from "#faces/cli/terminal/program-parts.ts"
import { whereWeAre } from "#faces/cli/where.ts"

export async function doctorAnswer(_: string, { session }: ProgramParts): Promise<SlashAnswer> {
  const servers = await session.ask({ type: "servers" })
  const lines: string[] = []
  for await (const check of checks(whereWeAre(), { logs: "of this folder", servers })) lines.push(checkLine(check))
  return said(maskSecrets(lines.join("\n")))
}
