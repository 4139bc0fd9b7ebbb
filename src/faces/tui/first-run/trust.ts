/** Whether a folder is trusted: what that means, and what its files would run or permit. */

import type { ListDefinition, Preview } from "#faces/tui/panels/panel.ts"
import { dim, yellow } from "#faces/tui/screen/style.ts"
import { fitted, wrapped } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import type { TrustPort, TrustRow } from "./ports.ts"

export type TrustChoice = "trusted" | "without" | "quits"

const about: { readonly [why in TrustPort["why"]]: string } = {
  new: "This folder's files can run programs and allow actions without asking you. Trust the folder only if you know who wrote them.",
  changed: "You trusted this folder before. These entries are new or changed, and do nothing until you trust them.",
}

const forSession = "\nThis folder is or contains your home folder, so your answer counts for this session only."

const yes: { readonly [why in TrustPort["why"]]: string } = {
  new: "Yes, I trust it",
  changed: "Yes, trust the changes",
}

const no: { readonly [why in TrustPort["why"]]: string } = {
  new: "No, continue without the project's configuration",
  changed: "No, continue without the changes",
}

export const trustPanel = (port: TrustPort): ListDefinition<TrustChoice> => ({
  kind: "list",
  title: port.why === "new" ? `Do you trust ${port.folder}?` : `Do you trust the changes in ${port.folder}?`,
  about: `${about[port.why]}${port.lasts === "session" ? forSession : ""}`,
  empty: "",
  search: "none",
  enterLabel: "confirm",
  leaves: "quit",
  scrolls: "preview",
  load: async () => [
    { key: "yes", text: `${yes[port.why]}${port.lasts === "session" ? ", for this session" : ""}` },
    // A key pressed too early must not consent.
    { key: "without", text: no[port.why], starts: true },
    { key: "quit", text: "Quit" },
  ],
  preview: async () => drawRuns(port),
  async choose({ key }) {
    if (key === "quit") return { kind: "closes", result: "quits" }
    if (key !== "yes") return { kind: "closes", result: "without" }
    const accepted = port.accept()
    return accepted.ok ? { kind: "closes", result: "trusted" } : { kind: "stays", note: accepted.failure }
  },
})

/** Always complete: the user must not consent to less than all of it. */
function drawRuns({ runs }: TrustPort): Preview {
  let last: { readonly columns: number; readonly rows: readonly string[] } | undefined
  const draw: Preview = (columns) => {
    if (runs.length === 0) return [dim("This folder has no hooks, servers or rules.")]
    const files = [...Map.groupBy(runs, ({ file }) => file)]
    return files.flatMap(([file, all]) => [
      fitted(dim(forConsent(file)), columns),
      ...all.flatMap((row) => drawn(row, columns)),
    ])
  }
  return (columns) => {
    // There may be thousands of rows, and every key draws them again.
    if (last?.columns !== columns) last = { columns, rows: draw(columns) }
    return last.rows
  }
}

function drawn({ what, detail, more = [], change }: TrustRow, columns: number): readonly string[] {
  const lead = change === undefined ? "" : `${change} `
  return [
    ...wrapped(`${lead}${forConsent(what)}: ${forConsent(detail)}`, columns - 4).map(
      (row, i) => `${i === 0 ? "  " : "    "}${yellow(row)}`,
    ),
    ...more.flatMap((one) => wrapped(forConsent(one), columns - 4).map((row) => `    ${yellow(row)}`)),
  ]
}
