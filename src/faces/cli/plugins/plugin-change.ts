/** `codewright plugin install`, `update`, `remove`, `enable` and `disable`. */

import type { Installed } from "#ground/plugins/store.ts"
import { forConsent } from "#lib/printable.ts"
import { agrees } from "#faces/cli/terminal/agrees.ts"
import { enabledBy, isEnabled } from "./enabled-ids.ts"
import { forgetEnabled, type PluginScope, setEnabled } from "./enabling.ts"
import { approve, differenceOf, installStaged, removeInstalled } from "./install.ts"
import { marketplaceNamed } from "./marketplaces.ts"
import type { PluginCall } from "./plugin-call.ts"
import { installedNamed } from "./plugin-list.ts"
import { differenceLines, pluginJson, pluginLines } from "./plugin-text.ts"
import { drop, stage, stageAgain, type StagedPlugin } from "./stage.ts"
import { saveMarketplace } from "./marketplace-verbs.ts"

export async function install(call: PluginCall, [text, ...more]: readonly string[]): Promise<number> {
  const { context, args, io } = call
  if (text === undefined || more.length > 0)
    return io.fail("install takes one plugin: codewright plugin install <name>@<marketplace>")
  const staged = await stage(context, text)
  if (!staged.ok) return io.fail(staged.failure)
  const all = flat(staged.value)
  const isAsked = all.some(({ view }) => view.runs.length > 0)
  const before = context.records()
  const known = before.ok ? before.value.plugins[staged.value.id] : undefined
  // What runs as it did was agreed to before.
  const isSame = known?.isApproved === true && all.length === 1 && differenceOf(known, staged.value) === undefined
  if (!args.has("json")) io.say(all.map((one) => pluginLines(one).join("\n")).join("\n\n"))
  const consent =
    !isAsked || isSame || args.has("yes")
      ? "given"
      : canAsk(call)
        ? await asked("Install this plugin and let it run what is listed above?")
        : "missing"
  if (consent === "refused") {
    drop(staged.value)
    return io.fail("Nothing was installed.")
  }
  const installed = installStaged(context, staged.value, consent === "given" ? "approved" : "not asked")
  if (!installed.ok) return io.fail(installed.failure)
  const { id, marketplace } = staged.value
  if (consent === "missing") {
    say(
      call,
      [[id, installed.value]],
      `Installed ${id}, but not enabled: it would run what is listed above. To agree: codewright plugin enable ${id} --yes`,
    )
    return 0
  }
  const scope = scopeOf(call)
  for (const one of all.toReversed()) {
    const set = setEnabled(context.setting, one.id, scope, true)
    if (!set.ok) return io.fail(set.failure)
  }
  warnUntrusted(call, scope)
  // Others who open the project need to know where it comes from.
  const market = marketplace === undefined || scope !== "project" ? undefined : marketplaceNamed(context, marketplace)
  if (market?.ok) {
    const saved = saveMarketplace(context.setting, market.value, scope)
    if (!saved.ok) io.warn(saved.failure)
  }
  say(
    call,
    [[id, installed.value]],
    `Installed and enabled ${id} (${scope}). It is used from the next session on.`,
    true,
  )
  return 0
}

const flat = (staged: StagedPlugin): readonly StagedPlugin[] => [staged, ...staged.needs.flatMap(flat)]

export async function enable(call: PluginCall, [text, ...more]: readonly string[]): Promise<number> {
  const { context, args, io } = call
  const found = installedNamed(context, text, more)
  if (!found.ok) return io.fail(found.failure)
  const [id, installed] = found.value
  if (!installed.isApproved && !args.has("yes")) {
    if (!canAsk(call))
      return io.fail(
        `${id} runs programs, and nobody agreed to that yet. See them with: codewright plugin details ${id}. To agree: codewright plugin enable ${id} --yes`,
      )
    io.say(installed.runs.map(({ kind, what }) => forConsent(`  ${kind.padEnd(15)} ${what}`)).join("\n"))
    if ((await asked(`Let ${id} run what is listed above?`)) === "refused") return io.fail("Nothing was changed.")
  }
  const approved = installed.isApproved ? undefined : approve(context, id)
  if (approved && !approved.ok) return io.fail(approved.failure)
  return turn(call, id, installed, true)
}

export async function disable(call: PluginCall, [text, ...more]: readonly string[]): Promise<number> {
  const found = installedNamed(call.context, text, more)
  return found.ok ? turn(call, ...found.value, false) : call.io.fail(found.failure)
}

function turn(call: PluginCall, id: string, installed: Installed, on: boolean): number {
  const { setting } = call.context
  const by = enabledBy(setting, id)
  if (by === "managed" && isEnabled(setting, id) !== on)
    return call.io.fail(`The managed settings decide about ${id}; it cannot be changed here.`)
  const scope = scopeOf(call)
  const set = setEnabled(setting, id, scope, on)
  if (!set.ok) return call.io.fail(set.failure)
  warnUntrusted(call, scope)
  say(
    call,
    [[id, installed]],
    `${on ? "Enabled" : "Disabled"} ${id} (${scope}) in ${set.value}. Applies to new sessions.`,
    on,
  )
  return 0
}

export async function remove(call: PluginCall, [text, ...more]: readonly string[]): Promise<number> {
  const { context, io } = call
  const found = installedNamed(context, text, more)
  if (!found.ok) return io.fail(found.failure)
  const [id] = found.value
  const removed = removeInstalled(context, id)
  if (!removed.ok) return io.fail(removed.failure)
  for (const problem of forgetEnabled(context.setting, id)) io.warn(problem)
  const { installed, unneeded } = removed.value
  say(call, [[id, installed]], `Removed ${id}.`, false)
  for (const other of unneeded)
    io.warn(`${other} was only installed for ${id}. Remove it with: codewright plugin remove ${other}`)
  return 0
}

export async function update(call: PluginCall, words: readonly string[]): Promise<number> {
  const { context, args, io } = call
  const records = context.records()
  if (!records.ok) return io.fail(records.failure)
  const one = words.length === 0 ? undefined : installedNamed(context, words[0], words.slice(1))
  if (one && !one.ok) return io.fail(one.failure)
  const wanted = one ? [one.value] : Object.entries(records.value.plugins)
  const results: { readonly id: string; readonly said: string; readonly isWrong: boolean }[] = []
  for (const [id, installed] of wanted) results.push({ id, ...(await updated(call, id, installed)) })
  const now = context.records()
  if (args.has("json")) {
    const rows = wanted.flatMap(([id]) => {
      const installed = now.ok ? now.value.plugins[id] : undefined
      return installed
        ? [
            {
              ...pluginJson(installed, isEnabled(context.setting, id)),
              message: results.find((result) => result.id === id)?.said,
            },
          ]
        : []
    })
    io.write(`${JSON.stringify({ plugins: rows })}\n`)
  } else io.say(results.length === 0 ? "No plugins are installed." : results.map(({ said }) => said).join("\n"))
  return results.some(({ isWrong }) => isWrong) ? 1 : 0
}

async function updated(
  call: PluginCall,
  id: string,
  installed: Installed,
): Promise<{ readonly said: string; readonly isWrong: boolean }> {
  const { context, args, io } = call
  const staged = await stageAgain(context, installed)
  if (!staged.ok) return { said: `${id} was not updated. ${staged.failure}`, isWrong: true }
  if (staged.value.digest === installed.digest && staged.value.needs.length === 0) {
    drop(staged.value)
    return { said: `${id} is up to date.`, isWrong: false }
  }
  const difference = differenceOf(installed, staged.value)
  const newcomers = staged.value.needs.flatMap(flat).filter(({ view }) => view.runs.length > 0)
  const isChanged = difference !== undefined || newcomers.length > 0
  if (isChanged && !args.has("yes")) {
    const lines = [
      `${id} would run something else:`,
      ...(difference ? differenceLines(difference) : []),
      ...newcomers.flatMap(pluginLines),
    ]
    if (args.has("json")) for (const line of lines) io.warn(line)
    else io.say(lines.join("\n"))
    const consent = canAsk(call) ? await asked(`Update ${id}?`) : "missing"
    if (consent !== "given") {
      drop(staged.value)
      const hint = consent === "missing" ? ` To agree: codewright plugin update ${id} --yes` : ""
      return {
        said: `${id} was not updated, because what it runs would change.${hint}`,
        isWrong: consent === "missing",
      }
    }
  }
  const done = installStaged(context, staged.value, isChanged || installed.isApproved ? "approved" : "not asked")
  if (!done.ok) return { said: done.failure, isWrong: true }
  return { said: `Updated ${id}${versions(installed, done.value)}.`, isWrong: false }
}

const versions = (before: Installed, after: Installed): string =>
  before.version === after.version || after.version === undefined
    ? ""
    : ` from ${before.version ?? "no version"} to ${after.version}`

function say(
  { args, io }: PluginCall,
  rows: readonly (readonly [id: string, Installed])[],
  sentence: string,
  enabled = false,
): void {
  if (args.has("json"))
    io.write(`${JSON.stringify({ plugins: rows.map(([, one]) => pluginJson(one, enabled)), message: sentence })}\n`)
  else io.say(forConsent(sentence))
}

function warnUntrusted({ context: { setting }, io }: PluginCall, scope: PluginScope): void {
  if (scope !== "user" && !setting.trusted)
    io.warn("This folder is not trusted, so its settings do not count yet. To trust it: codewright trust")
}

/** The parser has checked the value. */
export const scopeOf = ({ args }: Pick<PluginCall, "args">): PluginScope =>
  (args.value("scope") as PluginScope | undefined) ?? "user"

const canAsk = ({ args }: PluginCall): boolean =>
  !args.has("json") && process.stdin.isTTY === true && process.stdout.isTTY === true

const asked = async (question: string): Promise<"given" | "refused"> => ((await agrees(question)) ? "given" : "refused")
