/** The panel that asks before quitting ends work in the background. */

import type { Effect } from "#faces/tui/effect.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { ListDefinition } from "./panel.ts"

const mostShown = 8

/** `work`: what would be ended, a line each. */
export function quitPanel(
  work: readonly string[],
  leave: Effect & { readonly kind: "leave" },
): ListDefinition<readonly Effect[]> {
  const quits = { kind: "closes", result: [{ ...leave, asked: true }] } as const
  return {
    kind: "list",
    over: "questions",
    title: `Quit and stop ${counted(work.length, "background task")}?`,
    empty: "",
    search: "none",
    enterLabel: "confirm",
    leaves: "stay",
    load: async () => [
      { key: "quit", text: "Yes, stop and quit" },
      { key: "stay", text: "No, stay" },
    ],
    preview: async () => (columns) => [
      ...work.slice(0, mostShown).map((line) => fitted(`· ${forConsent(line)}`, columns)),
      ...(work.length > mostShown ? [`… and ${work.length - mostShown} more`] : []),
    ],
    choose: async ({ key }) => (key === "quit" ? quits : { kind: "closes", result: [] }),
    interrupts: quits,
  }
}
