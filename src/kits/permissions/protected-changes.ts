/** Which protected files a call would change: by name, inside a moved folder, or through a link. */

import { posix } from "node:path"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { editsByWord } from "./danger.ts"
import { namesBelow } from "./paths.ts"
import { leadsToProtected, protectedBelow, protection } from "./protected-paths.ts"
import { repositoryChange } from "./repository-change.ts"

export interface ProtectedChange {
  readonly path: string
  readonly why: string
}

export function protectedChange(call: JudgedCall, mode: PermissionMode): ProtectedChange | undefined {
  if (call.commands.length + call.writes.length === 0) return undefined
  const segments = call.commands.flatMap(({ everything }) => everything)
  const writes = new Set([...call.writes, ...segments.flatMap((segment) => segment.writes)])
  const all = [...writes, ...editsByWord(call)]
  for (const path of all) {
    const found = protection(path, call.workspace, call.forms)
    if (found) return { path, why: found.why }
  }
  return (
    repositoryChange([...all, ...landings(segments, call)], call) ?? broughtAlong(segments, [...writes], call, mode)
  )
}

/** Where files in folders that are moved or copied end up: under the target's name, or in it. */
const landings = (segments: readonly Segment[], call: JudgedCall): readonly string[] =>
  segments
    .flatMap(({ transfers }) => transfers)
    .filter(({ from, how }) => how !== "links" && call.isFolder(from))
    .flatMap(({ from, to }) =>
      (call.below(from, unread) ?? []).flatMap((name) => [`${to}/${name}`, `${to}/${posix.basename(from)}/${name}`]),
    )

/** Files in folders that are moved, copied or linked: they end up where nobody has named them. */
function broughtAlong(
  segments: readonly Segment[],
  writes: readonly string[],
  call: JudgedCall,
  mode: PermissionMode,
): ProtectedChange | undefined {
  const { workspace, forms } = call
  for (const { from, to, how } of segments.flatMap(({ transfers }) => transfers)) {
    const link = how === "links" ? leadsToProtected(to, forms) : undefined
    if (link) return { path: to, why: link.why }
    // Another part of the line may first put files into the folder.
    const added = writes.flatMap((path) => namesBelow(from, path)?.join("/") ?? []).filter((path) => path !== "")
    const inside = call.isFolder(from) ? call.below(from, unread) : []
    const found = protectedBelow(to, [...(inside ?? []), ...added], workspace, forms)
    if (found) return { path: found.path, why: found.protection.why }
    // A link moves nothing; and in bypass mode, what is merely unknown is not asked about.
    if (!inside && how !== "links" && mode !== "bypassPermissions")
      return { path: to, why: `${from} contains too many files to check, and some may be protected` }
  }
  return undefined
}

/** Tools read no settings or hooks from installed packages. */
const unread = "node_modules"
