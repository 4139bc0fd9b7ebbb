/** What stands at held paths that do not exist yet, as long as something confined runs: a mount needs something to lie on. */

import { lstatSync, mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs"
import type { HeldLine } from "./policy.ts"

export interface Placeholders {
  /** Sees to it that there is something at each path; the function takes back what is no longer needed. */
  readonly hold: (lines: readonly HeldLine[]) => () => void
}

export function openPlaceholders(): Placeholders {
  /** How many commands need each one. */
  const users = new Map<string, number>()

  function release(line: HeldLine): void {
    const left = (users.get(line.path) ?? 1) - 1
    if (left > 0) return void users.set(line.path, left)
    users.delete(line.path)
    takeAway(line)
  }

  return {
    hold(lines) {
      const held = lines.filter((line) => users.has(line.path) || isPut(line))
      for (const { path } of held) users.set(path, (users.get(path) ?? 0) + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        // What lies deeper goes first.
        for (const line of held.toReversed()) release(line)
      }
    },
  }
}

/** Whether a placeholder is there now: put by us, or left behind by a process that was killed. */
function isPut({ path, placeholder }: HeldLine): boolean {
  if (placeholder === undefined) return false
  try {
    if (placeholder.kind === "folder") mkdirSync(path)
    else writeFileSync(path, placeholder.text, { flag: "wx", mode: 0o600 })
    return true
  } catch {
    // The parent does not exist, and then nothing of it can; or something is there already.
    return placeholder.kind === "file" && placeholder.text !== "" && isOurs(path, placeholder.text)
  }
}

function isOurs(path: string, text: string): boolean {
  try {
    return lstatSync(path).isFile() && readFileSync(path, "utf8") === text
  } catch {
    return false
  }
}

function takeAway({ path, placeholder }: HeldLine): void {
  try {
    // A folder goes only if it is still empty, a file only if it still says nothing.
    if (placeholder?.kind === "folder") rmdirSync(path)
    else if (placeholder?.kind === "file" && isOurs(path, placeholder.text)) unlinkSync(path)
  } catch {
    // Someone else made use of it, or removed it.
  }
}
