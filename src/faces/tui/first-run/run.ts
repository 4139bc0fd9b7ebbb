/** The questions before a conversation, one after the other: theme, model, and whether the folder is trusted. */

import { openAsking } from "#faces/tui/panels/ask.ts"
import { themesPanel } from "#faces/tui/panels/themes.ts"
import { bold, dim } from "#faces/tui/screen/style.ts"
import { themeLabels, type ThemeName } from "#faces/tui/screen/theme.ts"
import type { Terminal } from "#faces/tui/terminal.ts"
import type { Clock } from "#lib/clock.ts"
import { forConsent } from "#lib/printable.ts"
import type { FirstRunPorts } from "./ports.ts"
import { reachPanel } from "./reach.ts"
import { trustPanel } from "./trust.ts"

const without: { readonly [why in "new" | "changed"]: string } = {
  new: "Continuing without the project's configuration.",
  changed: "Continuing without the changes.",
}

export interface FirstRun {
  readonly terminal: Terminal
  readonly clock: Clock
  readonly theme: ThemeName | "detected"
  readonly ports: FirstRunPorts
}

/** `continues without`: nothing of the project's configuration is used this time. */
export type FirstRunEnd = "continues" | "continues without" | "quits"

/** Unanswered questions leave everything as it was. */
export async function runFirstRun({ terminal, clock, theme, ports }: FirstRun): Promise<FirstRunEnd> {
  const asking = openAsking({ terminal, clock, theme })
  try {
    if (ports.themes || ports.reach)
      asking.say([bold("Welcome to Codewright"), dim("A few questions before you start.")])
    if (ports.themes) {
      const { keep } = ports.themes
      const chosen = await asking.ask<ThemeName>(
        themesPanel({
          current: asking.theme(),
          setTheme: asking.setTheme,
          async keep(name) {
            const kept = keep(name)
            return kept.ok ? { kind: "closes", result: name } : { kind: "stays", note: kept.failure }
          },
        }),
      )
      // Also what was left unanswered is kept, or it would be asked for ever.
      if (chosen === undefined) keep(asking.theme())
      asking.say([dim(`  Theme: ${themeLabels[chosen ?? asking.theme()]}`)])
    }
    if (ports.reach) {
      const reached = await asking.ask(reachPanel(ports.reach))
      asking.say([dim(`  Model: ${forConsent(reached ?? "from settings")}`)])
    }
    if (!ports.trust) return "continues"
    const trust = await asking.ask(trustPanel(ports.trust))
    // Whoever leaves this question has not consented, and may not want to be here.
    if (trust === undefined || trust === "quits") return "quits"
    asking.say([dim(trust === "trusted" ? "  This folder is trusted." : `  ${without[ports.trust.why]}`)])
    return trust === "trusted" ? "continues" : "continues without"
  } finally {
    asking.close()
  }
}
