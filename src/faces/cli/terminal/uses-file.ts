/** How often commands and keys were used, in a file of the state folder: a name on each line, newest last. */

import { appendFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Uses } from "#faces/tui/state.ts"
import type { UsesPort } from "#faces/tui/uses.ts"
import { makePrivateFolder } from "#ground/settings/state-folder.ts"
import { quietly } from "#lib/quietly.ts"

/** Older uses are forgotten once the file has twice as many. */
const kept = 1000
const mostBytes = 200_000
const longestName = 100

export function openUses({ state, pid }: { readonly state: string; readonly pid: number }): UsesPort {
  const file = join(state, "uses.txt")

  return {
    async load() {
      const whole = Bun.file(file)
      const text = await whole
        .slice(Math.max(0, whole.size - mostBytes))
        .text()
        .catch(() => "")
      const names = text.split("\n").filter((name) => name !== "" && name.length <= longestName)
      if (names.length >= kept * 2 || whole.size > mostBytes) rewrite(names)
      return counted(names)
    },
    add(name) {
      // Appending keeps what other sessions write at the same time.
      if (name.length > longestName || name.includes("\n") || !makePrivateFolder(state).ok) return
      quietly(() => appendFileSync(file, `${name}\n`, { mode: 0o600 }))
    },
  }

  /** What was learned once stays known. */
  function rewrite(names: readonly string[]): void {
    const newest = names.slice(-kept)
    const learned = [...new Set(names)].filter((name) => !name.startsWith("/") && !newest.includes(name))
    quietly(() => {
      const temporary = `${file}.${pid}.tmp`
      writeFileSync(temporary, `${[...learned, ...newest].join("\n")}\n`, { mode: 0o600 })
      renameSync(temporary, file)
    })
  }
}

function counted(names: readonly string[]): Uses {
  const uses = new Map<string, number>()
  for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1)
  return uses
}
