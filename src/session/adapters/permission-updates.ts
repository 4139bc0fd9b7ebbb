/** Changes of permissions that an answer brings along: rules, a mode, folders, each for the session or in a settings file. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { PermissionUpdate } from "#agent/words/permission.ts"
import type { SettingsPlace } from "#ground/settings/edit-file.ts"
import { listIn, removeRuleAt, rulePlace, rulePlaces, type RuleRoots } from "#ground/settings/save.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import { ruleText } from "#kits/permissions/rules/rule.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionPlace } from "#session/opening/options.ts"
import type { SessionRules } from "#session/opening/rules.ts"
import { addRule } from "./add-rule.ts"

export interface UpdateParts {
  readonly place: SessionPlace
  readonly rules: SessionRules
  readonly grants: Grants
  readonly bypassAvailable: boolean
  readonly record: (body: EntryBody) => void
  readonly addFolder: (path: string) => Result<void, string>
  readonly isAdded: (path: string) => boolean
}

type RuleUpdate = PermissionUpdate & { readonly kind: "rules" }

/** Each one that is refused is named with its reason; the others count. */
export function openUpdates(parts: UpdateParts): (updates: readonly PermissionUpdate[]) => Promise<void> {
  return async (updates) => {
    for (const update of updates) {
      const done = refusal(update, parts) ?? (await applied(update, parts))
      if (!done.ok)
        parts.record({ kind: "notice", level: "warning", text: `Permissions were not changed: ${done.failure}` })
    }
  }
}

/** What permits more must not be written where the folder's own files are not believed. */
function refusal(update: PermissionUpdate, { place, bypassAvailable }: UpdateParts): Result<never, string> | undefined {
  const { destination } = update
  const isOfProject = destination === "local settings" || destination === "project settings"
  if (isOfProject && place.trusted !== true && permitsMore(update))
    return failed(`this folder is not trusted, so nothing that permits more is saved in its ${destination}.`)
  if (update.kind === "mode" && update.mode === "bypassPermissions") {
    if (destination !== "session") return failed("bypass mode is never saved in settings.")
    if (!bypassAvailable) return failed("bypass mode is not available in this session.")
  }
  if (update.kind === "rules" && update.act !== "add" && update.behavior !== "allow" && destination !== "session")
    return failed(`${update.behavior} rules are removed from the ${destination} only by editing the file.`)
  return undefined
}

function permitsMore(update: PermissionUpdate): boolean {
  switch (update.kind) {
    case "rules":
      return update.behavior === "allow" && update.act !== "remove"
    case "mode":
      return !["default", "plan", "delegate", "dontAsk"].includes(update.mode)
    case "folders":
      return update.act === "add"
  }
}

async function applied(update: PermissionUpdate, parts: UpdateParts): Promise<Result<void, string>> {
  switch (update.kind) {
    case "rules":
      return applyRules(update, parts)
    case "mode": {
      const { mode, destination } = update
      parts.record({ kind: "mode", mode })
      if (destination === "session") return ok(undefined)
      return setAt(rulePlace(destination, rootsOf(parts)), "permissions.defaultMode", mode)
    }
    case "folders":
      return applyFolders(update, parts)
    default:
      return never(update)
  }
}

function applyRules(update: RuleUpdate, parts: UpdateParts): Result<void, string> {
  const { act, behavior, rules, destination } = update
  const there = act === "replace" ? rulesAt(update, parts) : []
  const gone = act === "remove" ? rules : there.filter((rule) => !rules.includes(rule))
  const added = act === "remove" ? [] : rules.filter((rule) => !there.includes(rule))
  const done = [
    ...gone.map((rule) => dropRule(rule, update, parts)),
    ...added.map((rule) => addRule({ type: "add_rule", behavior, rule, destination }, parts)),
  ]
  return done.find(({ ok: isDone }) => !isDone) ?? ok(undefined)
}

function rulesAt({ behavior, destination }: RuleUpdate, { grants }: UpdateParts): readonly string[] {
  const here = grants.rules().filter((rule) => rule.source === destination && rule.behavior === behavior)
  return [...new Set(here.map(ruleText))]
}

function dropRule(rule: string, { behavior, destination }: RuleUpdate, parts: UpdateParts): Result<void, string> {
  if (destination !== "session") {
    const removed = removeRuleAt(destination, rootsOf(parts), { behavior, rule })
    if (!removed.ok) return removed
  }
  parts.record({ kind: "grant", rule, destination, behavior, gone: true })
  // Session rules go through the log.
  if (destination === "session") return ok(undefined)
  parts.rules.drop({ behavior, text: rule, source: destination })
  parts.grants.drop(rule, destination)
  return ok(undefined)
}

async function applyFolders(
  { act, folders, destination }: PermissionUpdate & { readonly kind: "folders" },
  parts: UpdateParts,
): Promise<Result<void, string>> {
  const own = parts.place.cwd
  if (act === "remove" && folders.includes(own)) return failed(`${own} is the session's own folder.`)
  for (const folder of act === "add" ? folders.filter((path) => !parts.isAdded(path)) : []) {
    const added = parts.addFolder(folder)
    if (!added.ok) return added
  }
  if (act === "remove") parts.record({ kind: "folders", added: [], removed: folders })
  if (destination === "session") return ok(undefined)
  const key = "permissions.additionalDirectories"
  const places = rulePlaces(destination, rootsOf(parts))
  for (const place of act === "add" ? places.slice(0, 1) : places) {
    const before = listIn(place, key)
    if (!before.ok) return before
    const others = before.value.filter((folder) => !folders.includes(folder))
    if (act === "remove" && others.length === before.value.length) continue
    const saved = await setAt(place, key, act === "add" ? [...others, ...folders] : others)
    if (!saved.ok) return saved
  }
  return ok(undefined)
}

const rootsOf = ({ place }: UpdateParts): RuleRoots => ({
  root: place.cwd,
  state: place.stateFolder,
  home: place.home,
})

async function setAt(
  place: SettingsPlace,
  key: string,
  value: string | readonly string[],
): Promise<Result<void, string>> {
  // Settings validation is large, and seldom needed.
  const { setSetting } = await import("#ground/settings/set.ts")
  return setSetting({ ...place, key, value })
}
