/** Providers as lines of text: which can be used, and what the others need. */

import type { ProviderRow } from "#faces/tui/panels/provider-panel-port.ts"
import { forConsent } from "#lib/printable.ts"

const titles: { readonly [state in ProviderRow["state"]]: string } = {
  ready: "Ready",
  "needs key": "Need a key",
  "not running": "Not running",
}

/** Grouped by what they need. `login`: how to start that command. */
export function providerLines(rows: readonly ProviderRow[], login: string): string {
  const widest = Math.max(...rows.map(({ who }) => who.length))
  return [...Map.groupBy(rows, ({ state }) => state)]
    .flatMap(([state, group]) => [
      titles[state],
      ...group.map(({ name, who, about }) =>
        forConsent(
          `  ${who.padEnd(widest)}  ${state === "needs key" ? about.replace(/,( or)? paste a key.*$/, `, or run ${login} ${name}`) : about}`,
        ),
      ),
    ])
    .join("\n")
}
