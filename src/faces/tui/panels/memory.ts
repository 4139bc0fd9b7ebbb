/** The panel of memory files: where a note is kept, or which one is opened. */

import { type Effect, note } from "#faces/tui/effect.ts"
import type { ListDefinition } from "./panel.ts"
import type { MemoryPort } from "./ports.ts"

/** Without a line, the chosen file is opened in the user's editor. */
export function memoryPanel(port: MemoryPort, line: string): ListDefinition<readonly Effect[]> {
  const opens = line === ""
  return {
    kind: "list",
    title: opens ? "Choose a memory file" : "Save this note to",
    ...(!opens && { about: line }),
    empty: "No memory file can be written here.",
    search: "none",
    enterLabel: opens ? "open" : "save",
    load: async () =>
      (await port.files())
        .filter(({ keptBy }) => opens || keptBy === undefined)
        .map(({ label, path }) => ({ key: path, text: label, facts: path })),
    async choose({ key, text }) {
      if (opens) return { kind: "closes", result: [{ kind: "edit_file", path: key }] }
      const kept = await port.add(key, line)
      if (!kept.ok) return { kind: "stays", note: kept.failure }
      return { kind: "closes", result: [note(`Saved to ${text} (${key}).`)] }
    },
  }
}
