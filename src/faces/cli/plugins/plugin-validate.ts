/** `codewright plugin validate`: what is wrong with a plugin or marketplace, before others find out. */

import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { readPlugin } from "#ground/extensions/plugins.ts"
import { marketplaceFiles, marketplaceIn, readMarketplace } from "#ground/plugins/marketplace.ts"
import { digestsOf, filesBelow, treeDigest, treeOfFolder } from "#ground/plugins/tree.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { inspectPlugin } from "./inspect.ts"
import type { PluginCall } from "./plugin-call.ts"
import { pluginJson, pluginLines, viewJson } from "./plugin-text.ts"

export async function validate(
  { context, args, io }: PluginCall,
  [text = ".", ...more]: readonly string[],
): Promise<number> {
  if (more.length > 0) return io.fail("validate takes one folder: codewright plugin validate [folder]")
  const folder = resolve(context.setting.cwd, text)
  const tree = treeOfFolder(folder)
  if (!tree.ok) return io.fail(`${folder} cannot be used: ${tree.failure}.`)
  const isMarketplace = marketplaceFiles.some((file) => existsSync(join(folder, file)))
  const market = isMarketplace ? marketplaceIn(tree.value) : undefined
  if (market && !market.ok) return io.fail(market.failure)
  if (market) {
    const read = readMarketplace(market.value)
    if (!read.ok) return io.fail(read.failure)
    const { name, plugins, problems } = read.value
    const wrong = plugins.flatMap((entry) => {
      if (entry.source.kind !== "relative") return []
      const files = filesBelow(tree.value, entry.source.folder)
      if (!files.ok) return [`${entry.name}: ${files.failure}.`]
      if (files.value.length === 0) return [`${entry.name}: its folder ${entry.source.folder} does not exist.`]
      const plugin = readPlugin(join(folder, entry.source.folder), { entry: entry.written, name: entry.name })
      return plugin.ok ? inspectPlugin(plugin.value).problems : [plugin.failure]
    })
    return said([...problems, ...wrong], `${name} is a marketplace with ${counted(plugins.length, "plugin")}.`, {
      marketplaces: [{ name, plugins: plugins.map((one) => one.name) }],
    })
  }
  const files = filesBelow(tree.value, "")
  if (!files.ok) return io.fail(`${folder} cannot be installed: ${files.failure}.`)
  const plugin = readPlugin(folder)
  if (!plugin.ok) return io.fail(plugin.failure)
  const view = inspectPlugin(plugin.value)
  const digest = treeDigest(digestsOf(files.value))
  const row = {
    name: plugin.value.name,
    version: plugin.value.version,
    digest,
    runs: view.runs,
    promptTokens: view.promptTokens,
  }
  const shown = pluginLines({
    id: plugin.value.name,
    source: { kind: "folder", path: folder },
    pin: {},
    digest,
    view: { ...view, problems: [] },
  })
  return said(view.problems, shown.join("\n"), { plugins: [{ ...pluginJson(row, false), ...viewJson(view) }] })

  function said(problems: readonly string[], words: string, json: object): number {
    if (args.has("json")) io.write(`${JSON.stringify({ ...json, ok: problems.length === 0, problems })}\n`)
    else io.say(words)
    if (!args.has("json")) for (const problem of problems) io.warn(forConsent(problem))
    return problems.length > 0 ? 1 : 0
  }
}
