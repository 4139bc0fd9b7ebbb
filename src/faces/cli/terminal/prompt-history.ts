/** What was said before in a folder, kept in a file of the state folder: a line of JSON for each, newest last. */

import { appendFileSync, chmodSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { HistoryPort } from "#faces/tui/recall.ts"
import { makePrivateFolder, projectSlug } from "#ground/settings/state-folder.ts"
import type { Clock } from "#lib/clock.ts"
import { quietly } from "#lib/quietly.ts"

/** The file is rewritten with this many once it has grown to twice as many. */
const kept = 1000
/** Longer ones are pastes, not prompts to repeat. */
const longest = 100_000
const mostBytes = 8_000_000

export function openPromptHistory({
  state,
  cwd,
  pid,
  clock,
}: {
  readonly state: string
  readonly cwd: string
  readonly pid: number
  readonly clock: Clock
}): HistoryPort {
  const file = join(state, "history", `${projectSlug(cwd)}.jsonl`)
  // A line that was cut off by a crash must not swallow the next.
  let before = ""

  return {
    async load() {
      const whole = Bun.file(file)
      // The runtime takes a negative start for the beginning, or for the end.
      const text = await whole
        .slice(Math.max(0, whole.size - mostBytes))
        .text()
        .catch(() => "")
      if (text !== "" && !text.endsWith("\n")) before = "\n"
      const lines = text.split("\n").filter((line) => line !== "")
      const said = lines.flatMap(readLine)
      if (lines.length >= kept * 2 || text.length >= mostBytes / 2) rewrite(file, lines.slice(-kept), pid)
      return said.filter((line, i) => line !== said[i - 1]).slice(-kept)
    },
    add(line) {
      if (line.length > longest || !makePrivateFolder(dirname(file)).ok) return
      quietly(() => {
        appendFileSync(file, `${before}${JSON.stringify({ at: clock.now(), text: line })}\n`, { mode: 0o600 })
        before = ""
      })
    },
  }
}

/** Unreadable lines are skipped. */
function readLine(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line)
    const text = typeof value === "object" && value !== null && "text" in value ? value.text : undefined
    return typeof text === "string" && text !== "" ? [text] : []
  } catch {
    return []
  }
}

/** A history that cannot be written must not keep anyone from working: what was said is remembered until the program ends. */
function rewrite(file: string, lines: readonly string[], pid: number): void {
  quietly(() => {
    const temporary = `${file}.${pid}.tmp`
    writeFileSync(temporary, `${lines.join("\n")}\n`, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, file)
  })
}
