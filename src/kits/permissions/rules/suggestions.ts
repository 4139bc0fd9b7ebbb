/** What would avoid the question about a call: rules, a mode, and further folders. */

import { dirname } from "node:path"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import type { Suggestions } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"
import type { JudgedCall } from "#kits/permissions/call.ts"
import { namesBelow, type Workspace } from "#kits/permissions/paths.ts"
import type { PermissionRule } from "./rule.ts"
import { suggestRule, suggestRules } from "./suggest.ts"

export function suggestionsOf({
  judged,
  rules,
  mode,
  judge,
}: {
  readonly judged: JudgedCall
  readonly rules: readonly PermissionRule[]
  readonly mode: PermissionMode
  /** How the call would be decided in another mode, with further folders. */
  readonly judge: (mode: PermissionMode, folders: readonly string[]) => Pick<Decision, "behavior">
}): Suggestions {
  const all = rulesFor(judged, rules, mode)
  const folders = foldersBeside(judged, judged.workspace)
  const allows = (how: PermissionMode, more: readonly string[]): boolean => judge(how, more).behavior === "allow"
  const wider = mode === "default" ? "acceptEdits" : undefined
  // Only what would have avoided this very question, and the smallest of it.
  const found: Omit<Suggestions, "rules"> =
    folders.length > 0 && allows(mode, folders)
      ? { folders }
      : wider && allows(wider, [])
        ? { mode: wider }
        : wider && folders.length > 0 && allows(wider, folders)
          ? { mode: wider, folders }
          : {}
  return {
    rules: all.map((each) => ({ rule: each, destination: "session" })),
    ...optional("mode", found.mode),
    ...optional("folders", found.folders),
  }
}

function rulesFor(judged: JudgedCall, rules: readonly PermissionRule[], mode: PermissionMode): readonly string[] {
  if (judged.commands.length > 0) return suggestRules(judged, rules, mode)
  const rule = suggestRule(judged, rules, mode)
  return rule === undefined ? [] : [rule]
}

function foldersBeside({ footprint }: JudgedCall, { root, added }: Workspace): readonly string[] {
  const outside = [...footprint.reads, ...footprint.writes].filter(
    (path) => ![root, ...added].some((folder) => namesBelow(folder, path)),
  )
  const folders = new Set(outside.map((path) => dirname(path)))
  return folders.has("/") ? [] : [...folders]
}
