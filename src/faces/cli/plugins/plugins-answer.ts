/** `/plugins` as text, where there is no panel. */

import { forConsent } from "#lib/printable.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import { pluginPanelPort } from "./plugin-panel.ts"

export async function pluginsAnswer(words: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const rows = await pluginPanelPort(setting).list(new AbortController().signal)
  if (!rows.ok) return refused(rows.failure)
  const wanted = rows.value.filter(({ id, facts }) => `${id} ${facts}`.toLowerCase().includes(words.toLowerCase()))
  const lines = wanted.map(({ id, facts, group }) => forConsent(`${id}  ${group} · ${facts}`))
  const hint = "codewright plugin details <name> shows what one runs; codewright plugin install <name> installs it."
  return said(lines.length === 0 ? `No plugins. ${hint}` : [...lines, "", hint].join("\n"))
}
