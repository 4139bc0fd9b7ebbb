/** Whether a folder is trusted: what that means, and what its files would run. */

import type { ListDefinition, Preview } from "#faces/tui/panels/panel.ts"
import { dim, yellow } from "#faces/tui/screen/style.ts"
import { fitted, wrapped } from "#faces/tui/screen/width.ts"
import { bared } from "#lib/printable.ts"
import type { TrustPort } from "./ports.ts"

export type TrustChoice = "trusted" | "without" | "quits"

const about: { readonly [why in TrustPort["why"]]: string } = {
  new: "Its files may tell Codewright what to run: hooks, servers, variables, and what needs no asking. Trust it only if you know who wrote them.",
  changed: "You trusted this folder, but what its files would run has changed since.",
}

/** `runs`: whether what the files would run stands in the panel, or above it because it is long. */
export const trustPanel = (port: TrustPort, runs: "here" | "above"): ListDefinition<TrustChoice> => ({
  kind: "list",
  title: `Do you trust ${port.folder}?`,
  about: about[port.why],
  empty: "",
  search: "none",
  takes: "answers",
  leaves: "quits",
  load: async () => [
    { key: "yes", text: "Yes, I trust it" },
    { key: "without", text: "No, go on without the project's configuration" },
    { key: "quit", text: "Quit" },
  ],
  preview: async () => (runs === "here" ? drawRuns(port) : () => [dim("What its files would run is above.")]),
  async take({ key }) {
    if (key === "quit") return { kind: "closes", result: "quits" }
    if (key !== "yes") return { kind: "closes", result: "without" }
    const accepted = port.accept()
    return accepted.ok ? { kind: "closes", result: "trusted" } : { kind: "stays", note: accepted.failure }
  },
})

/** All of it: whoever consents must not be shown less. */
export const drawRuns =
  ({ runs }: TrustPort): Preview =>
  (columns) => {
    if (runs.length === 0) return [dim("Its files would run nothing now.")]
    const files = [...Map.groupBy(runs, ({ file }) => file)]
    return files.flatMap(([file, all]) => [
      fitted(dim(bared(file)), columns),
      ...all.flatMap(({ what, detail }) =>
        wrapped(`${bared(what)}: ${bared(detail)}`, columns - 2).map((row) => `  ${yellow(row)}`),
      ),
    ])
  }
