/** Changes of a seeded session, as a worker would have kept them. */

import type { Lease } from "#fleet/records.ts"
import { reviewedFiles, summaryOf } from "#fleet/changes.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { ReviewFile } from "#kits/checkpoints/checkpoints.ts"
import { hunksOf } from "#lib/diff.ts"
import { valueOf } from "../team/conformance.ts"

export async function changedText(path: string, before: string, after: string): Promise<ReviewFile> {
  const hunks = await hunksOf(before, after)
  const count = (mark: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0)
  return {
    path,
    change: "modified",
    added: count("+"),
    removed: count("-"),
    binary: false,
    patch: "",
    hunks: hunks.map((hunk, nth) => ({ id: `${path} ${nth}`, state: "new", hunk })),
  }
}

export function createdText(path: string, text: string): ReviewFile {
  const lines = text.replace(/\n$/, "").split("\n")
  return {
    path,
    change: "created",
    added: lines.length,
    removed: 0,
    binary: false,
    patch: [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n"),
    hunks: [{ id: `${path} whole`, state: "new", hunk: null }],
  }
}

export async function seedChanges(store: FleetStore, lease: Lease, files: readonly ReviewFile[]): Promise<void> {
  valueOf(await store.changes.keep(lease, { lines: 1_000_000, summary: summaryOf(files) }, reviewedFiles(files)))
}
