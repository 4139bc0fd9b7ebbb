/** The panel of branches: the ways a conversation went before it was taken back, to continue with one of them. */

import type { Effect } from "#faces/tui/effect.ts"
import { ageText } from "#lib/age.ts"
import type { ListDefinition } from "./panel.ts"
import type { BranchesPort, BranchRow } from "./ports.ts"

export function branchesPanel(port: BranchesPort, now: () => number, query: string): ListDefinition<readonly Effect[]> {
  return {
    kind: "list",
    title: "Switch to another branch",
    about: "Only the conversation switches. Files stay as they are.",
    empty: "This conversation has only one branch. Use /rewind to start another.",
    search: "rows",
    query,
    enterLabel: "switch",
    load: async () =>
      (await port.list()).map((row) => ({
        key: row.tip ?? "",
        text: firstLine(row),
        facts: `${row.prompts} ${row.prompts === 1 ? "prompt" : "prompts"} · ${ageText(now() - row.at)}`,
        ...(row.isCurrent && { mark: "current" as const }),
      })),
    choose: async ({ key, mark }) => ({
      kind: "closes",
      result: mark === "current" ? [] : [{ kind: "submit", op: { type: "switch", to: key === "" ? null : key } }],
    }),
  }
}

const firstLine = ({ prompt }: BranchRow): string => prompt?.trim().split("\n", 1)[0] || "(no prompt)"
