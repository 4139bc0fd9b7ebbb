/** The program's own kits of a session that is played again: its tools are listed as they were, and its calls have the results they had. */

import type { Entry } from "#agent/words/entry.ts"
import type { OpenProgramKits } from "#session/opening/program-kits.ts"
import { programKitsOf } from "#faces/cli/sessions/program-kits.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function replayedKits(entries: readonly Entry[], setting: StartupContext): OpenProgramKits {
  const listed = new Set(
    entries.flatMap((entry) => (entry.kind === "setup" ? entry.tools.map(({ name }) => name) : [])),
  )
  return (ports) =>
    programKitsOf(setting)(ports).map(({ name, tools = [] }) => ({
      name,
      // Calls that others carry out are answered with what the log has.
      tools: tools.filter((tool) => listed.has(tool.name)).map((tool) => ({ ...tool, delegates: true as const })),
    }))
}
