/** Puts a fetched plugin in its place, at once or not at all, and takes installed ones away. */

import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  idOf,
  type Installed,
  type PluginRecords,
  pluginsFolder,
  type PluginRun,
  stampOf,
} from "#ground/plugins/store.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { PluginContext } from "./plugin-context.ts"
import type { StagedPlugin } from "./stage.ts"

/** `approved`: the user was shown what it runs and agreed. */
export type Approval = "approved" | "not asked"

/** With all that it needs. What was installed under the same name before is replaced. */
export function installStaged(
  context: PluginContext,
  staged: StagedPlugin,
  approval: Approval,
  isDependency = false,
): Result<Installed, string> {
  for (const need of staged.needs) {
    const installed = installStaged(context, need, approval, true)
    if (!installed.ok) return installed
  }
  const folders = pluginsFolder(context.setting.state)
  const folder = join("installed", staged.id, staged.digest.slice(0, 24))
  const whole = join(folders, folder)
  try {
    mkdirSync(dirname(whole), { recursive: true, mode: 0o700 })
    rmSync(whole, { recursive: true, force: true })
    renameSync(join(staged.folder, "files"), whole)
    rmSync(staged.folder, { recursive: true, force: true })
  } catch (error) {
    return failed(`${staged.id} could not be installed (${error instanceof Error ? error.message : String(error)}).`)
  }
  const isApproved = approval === "approved" || staged.view.runs.length === 0
  const made = { ...installedOf(staged, folder, stampOf(whole, staged.files)), isApproved }
  const kept = context.change((before) => {
    const old = before.plugins[staged.id]
    const installed = isDependency && (!old || old.isDependency) ? { ...made, isDependency: true as const } : made
    const after = { ...before, plugins: { ...before.plugins, [staged.id]: installed } }
    return ok({ after, value: { installed, old } })
  })
  if (!kept.ok) {
    rmSync(whole, { recursive: true, force: true })
    return kept
  }
  const { installed, old } = kept.value
  // Running sessions may still use the one before.
  const used = [folder, old?.folder]
  for (const name of readdirSync(dirname(whole)))
    if (!used.includes(join(dirname(folder), name)))
      rmSync(join(dirname(whole), name), { recursive: true, force: true })
  return ok(installed)
}

function installedOf(
  { name, marketplace, source, pin, digest, files, view, entry }: StagedPlugin,
  folder: string,
  stamp: string,
): Omit<Installed, "isApproved"> {
  const { dependencies, version } = view.plugin
  return {
    name,
    ...optional("marketplace", marketplace),
    source,
    pin,
    digest,
    folder,
    ...optional("version", version),
    runs: view.runs,
    promptTokens: view.promptTokens,
    files,
    stamp,
    ...optional("entry", entry),
    ...(dependencies.length > 0 && {
      dependencies: dependencies.map((one) => idOf({ marketplace, ...one } as Installed)),
    }),
  }
}

/** What the user agreed to is what is installed now. */
export const approve = ({ change }: PluginContext, id: string): Result<void, string> =>
  change((before) => {
    const installed = before.plugins[id]
    if (!installed) return failed(`${id} is not installed.`)
    const plugins = { ...before.plugins, [id]: { ...installed, isApproved: true } }
    return ok({ after: { ...before, plugins }, value: undefined })
  })

/** Returns its record, and the ids that were installed only for it and that nobody needs any more. */
export function removeInstalled(
  { change, setting }: PluginContext,
  id: string,
): Result<{ readonly installed: Installed; readonly unneeded: readonly string[] }, string> {
  const removed = change((before) => {
    const { [id]: installed, ...plugins } = before.plugins
    if (!installed) return failed(`${id} is not installed.`)
    const users = neededBy(before, id).filter((other) => other !== id)
    if (users.length > 0) return failed(`${id} is needed by ${users.join(" and ")}. Remove that first.`)
    return ok({ after: { ...before, plugins }, value: { installed, after: { ...before, plugins } } })
  })
  if (!removed.ok) return removed
  const { installed, after } = removed.value
  rmSync(dirname(join(pluginsFolder(setting.state), installed.folder)), { recursive: true, force: true })
  const unneeded = (installed.dependencies ?? []).filter(
    (one) => after.plugins[one]?.isDependency && neededBy(after, one).length === 0,
  )
  return ok({ installed, unneeded })
}

const neededBy = ({ plugins }: PluginRecords, id: string): readonly string[] =>
  Object.entries(plugins).flatMap(([other, { dependencies = [] }]) => (dependencies.includes(id) ? [other] : []))

export interface Difference {
  readonly added: readonly PluginRun[]
  readonly removed: readonly PluginRun[]
  /** Files that programs of the plugin could run or read, as far as it has programs. */
  readonly files: readonly string[]
}

/** What would run differently; undefined if nothing would. Text for the model is not run. */
export function differenceOf(
  installed: Installed,
  { view, files }: Pick<StagedPlugin, "view" | "files">,
): Difference | undefined {
  const has = (runs: readonly PluginRun[], { kind, what }: PluginRun): boolean =>
    runs.some((one) => one.kind === kind && one.what === what)
  const added = view.runs.filter((one) => !has(installed.runs, one))
  const removed = installed.runs.filter((one) => !has(view.runs, one))
  const names = new Set([...Object.keys(files), ...Object.keys(installed.files)])
  const changed = [...names].filter((path) => !/\.(?:md|mdx|txt)$/i.test(path) && files[path] !== installed.files[path])
  const isRunning = view.runs.length > 0 || installed.runs.length > 0
  if (added.length === 0 && removed.length === 0 && !(isRunning && changed.length > 0)) return undefined
  return { added, removed, files: isRunning ? changed.toSorted() : [] }
}
