/** Requests for lists of what is in force: permission rules and hooks, with where each comes from. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { ok } from "#lib/result.ts"
import type { RuleRow } from "#session/port/query.ts"
import type { Controls, SettingsOverview } from "./control.ts"
import { hooksListing } from "./hooks-listing.ts"
import { permissionSource } from "./source-names.ts"

export const listControls: Controls = {
  async list_permission_rules(_, { session, around }) {
    const [rules, folders, about, read] = await Promise.all([
      session.ask({ type: "rules" }),
      session.ask({ type: "folders" }),
      session.ask({ type: "about" }),
      around.settings(),
    ])
    const settings = read.ok ? read.value : noSettings
    const sourceOf = (path: string): string =>
      permissionSource(settings.folders.find((folder) => folder.path === path)?.source ?? "session")
    return ok({
      state: {
        rules: rules.map(ruleEntry),
        workspaceDirectories: folders.map((path) => ({ path, source: sourceOf(path) })),
        originalCwd: about.cwd,
        managedOnly: managed(settings).allowManagedPermissionRulesOnly === true,
        ...optional("errors", errorsIn(settings)),
      },
    })
  },

  async get_hooks_listing(_, { session, around }) {
    const [hooks, read] = await Promise.all([session.ask({ type: "hooks" }), around.settings()])
    const settings = read.ok ? read.value : noSettings
    return ok({
      ...hooksListing(hooks, {
        disabledByPolicy: managed(settings).disableAllHooks === true,
        allDisabled: around.merged(settings, {}).disableAllHooks === true,
      }),
      ...optional("errors", errorsIn(settings)),
    })
  },
}

const noSettings: SettingsOverview = { layers: [], problems: [], folders: [] }

function ruleEntry({ behavior, rule, source }: RuleRow): object {
  const from = permissionSource(source)
  return { behavior, source: from, rule, editability: editability[from] ?? "readonly" }
}

const editability: { readonly [source: string]: string } = {
  userSettings: "persistent",
  projectSettings: "persistent",
  localSettings: "persistent",
  cliArg: "session",
  session: "session",
}

const managed = ({ layers }: SettingsOverview): JsonObject => {
  const { value } = layers.find(({ name }) => name === "managed") ?? {}
  return isObject(value) ? value : {}
}

/** Undefined if there are none. */
export const errorsIn = ({ problems }: SettingsOverview): readonly object[] | undefined =>
  problems.length === 0 ? undefined : problems.map(({ file, message }) => ({ file, path: "", message }))
