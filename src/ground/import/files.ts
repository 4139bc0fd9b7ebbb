/** Files that are used here as they are: commands of the same form, and skills with all that belongs to them. */

import { join } from "node:path"
import type { FoundFile } from "./found.ts"
import { plainName } from "./names.ts"
import { filesBelow, readText } from "./read.ts"

export function sameFiles(folder: string, below: string, kind: "command" | "agent"): readonly FoundFile[] {
  const root = join(folder, below)
  return filesBelow(root, ".md").flatMap((path) => {
    const name = plainName(path, ".md")
    const text = readText(join(root, path))
    if (name === undefined || !text.ok || text.value === undefined) return []
    return [{ kind, place: `${kind}s/${name}.md`, text: text.value, from: join(root, path) }]
  })
}

/** Text files only; what is not UTF-8 would not survive. */
export function skillFiles(root: string): readonly FoundFile[] {
  const all = filesBelow(root, "")
  const skills = new Set(all.flatMap((path) => /^([^/.][^/]*)\/SKILL\.md$/.exec(path)?.[1] ?? []))
  return all.flatMap((path) => {
    if (!skills.has(path.split("/")[0] ?? "")) return []
    const text = readText(join(root, path))
    if (!text.ok || text.value === undefined || text.value.includes("\uFFFD")) return []
    return [{ kind: "skill" as const, place: `skills/${path}`, text: text.value, from: join(root, path) }]
  })
}
