/** `codewright plugin list` and `details`. */

import { join } from "node:path"
import { readPlugin } from "#ground/extensions/plugins.ts"
import { changedFile, type Installed, pluginsFolder } from "#ground/plugins/store.ts"
import { counted, tokensText } from "#lib/figures.ts"
import { nearNames } from "#lib/near.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { changedWords } from "./enabled.ts"
import { enabledBy, enabledIds, isEnabled } from "./enabled-ids.ts"
import { inspectPlugin } from "./inspect.ts"
import type { PluginCall } from "./plugin-call.ts"
import type { PluginContext } from "./plugin-context.ts"
import { pluginJson, pluginLines, viewJson } from "./plugin-text.ts"
import { drop, stage } from "./stage.ts"

export async function list({ context, args, io }: PluginCall): Promise<number> {
  const records = context.records()
  if (!records.ok) return io.fail(records.failure)
  const { setting } = context
  const all = Object.entries(records.value.plugins)
  if (args.has("json")) {
    io.write(`${JSON.stringify({ plugins: all.map(([id, one]) => pluginJson(one, isEnabled(setting, id))) })}\n`)
    return 0
  }
  const missing = enabledIds(setting).filter((id) => !(id in records.value.plugins))
  const lines = all.map(
    ([id, one]) =>
      `${id}  ${[one.version, stateOf(context, id, one), runsText(one), tokensText(one.promptTokens)].filter((part) => part !== undefined).join(" · ")}`,
  )
  io.say(
    lines.length === 0
      ? "No plugins are installed. Find some with: codewright plugin marketplace add <source>"
      : lines.map(forConsent).join("\n"),
  )
  for (const id of missing)
    io.warn(
      `${forConsent(id)} is enabled but not installed. Install it with: codewright plugin install ${forConsent(id)}`,
    )
  return 0
}

const runsText = ({ runs }: Installed): string =>
  runs.length === 0 ? "runs nothing" : `runs ${counted(runs.length, "thing")}`

function stateOf({ setting }: PluginContext, id: string, { isApproved }: Installed): string {
  if (!isEnabled(setting, id)) return "disabled"
  if (!isApproved) return "not approved"
  const by = enabledBy(setting, id)
  return by === undefined || by === "user settings" ? "enabled" : `enabled by ${by}`
}

/** Of an installed plugin, by its id, or its name if that is clear. */
export function installedNamed(
  context: PluginContext,
  text: string | undefined,
  more: readonly string[],
): Result<readonly [id: string, Installed], string> {
  const records = context.records()
  if (!records.ok) return records
  if (text === undefined || more.length > 0) return failed("Name one plugin. List plugins with: codewright plugin list")
  const all = Object.entries(records.value.plugins)
  const exact = all.find(([id]) => id === text)
  if (exact) return ok(exact)
  const [only, other] = all.filter(([, { name }]) => name === text)
  if (only && !other) return ok(only)
  if (only && other)
    return failed(
      `Several plugins are called ${text}: ${all.flatMap(([id, one]) => (one.name === text ? [id] : [])).join(", ")}. Name one of them.`,
    )
  const near = nearNames(
    text,
    all.map(([id]) => id),
    1,
  )[0]
  return failed(`${text} is not installed.${near === undefined ? "" : ` Did you mean ${near}?`}`)
}

export async function details({ context, args, io }: PluginCall, [text, ...more]: readonly string[]): Promise<number> {
  const found = installedNamed(context, text, more)
  if (!found.ok)
    return text === undefined || more.length > 0 ? io.fail(found.failure) : detailsOfOther({ context, args, io }, text)
  const [id, installed] = found.value
  const root = join(pluginsFolder(context.setting.state), installed.folder)
  const read = readPlugin(root, { name: installed.name, ...optional("entry", installed.entry) })
  if (!read.ok) return io.fail(read.failure)
  const view = inspectPlugin(read.value)
  const changed = changedFile(root, installed.files)
  if (args.has("json")) {
    const row = {
      ...pluginJson(installed, isEnabled(context.setting, id)),
      source: installed.source,
      pin: installed.pin,
      ...viewJson(view),
    }
    io.write(`${JSON.stringify({ plugins: [row] })}\n`)
    return 0
  }
  io.say([...pluginLines({ ...installed, id, view }), `  State: ${stateOf(context, id, installed)}`].join("\n"))
  if (changed !== undefined) io.warn(changedWords(id, changed))
  return 0
}

/** One that is not installed is fetched, shown and dropped. */
async function detailsOfOther({ context, args, io }: PluginCall, text: string): Promise<number> {
  const staged = await stage(context, text)
  if (!staged.ok) return io.fail(staged.failure)
  const { view, source, pin, name, marketplace, digest } = staged.value
  if (args.has("json")) {
    const row = {
      name,
      marketplace,
      version: view.plugin.version,
      digest,
      runs: view.runs,
      promptTokens: view.promptTokens,
    }
    io.write(`${JSON.stringify({ plugins: [{ ...pluginJson(row, false), source, pin, ...viewJson(view) }] })}\n`)
  } else
    io.say(
      [staged.value, ...staged.value.needs]
        .map((one) => [...pluginLines(one), "  State: not installed"].join("\n"))
        .join("\n\n"),
    )
  drop(staged.value)
  return 0
}
