/** A marketplace in a folder, and a program's view of it in this process. */

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { openPluginContext, type PluginContext } from "#faces/cli/plugins/plugin-context.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Place } from "../run-codewright.ts"
import { type PluginShape, sharedFiles } from "./shapes.ts"

export type Files = { readonly [path: string]: string | JsonObject }

export function writeAll(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const whole = join(root, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content))
    if (typeof content === "string" && content.startsWith("#!")) chmodSync(whole, 0o755)
  }
}

/** `name` is the marketplace's. Returns its folder. */
export function writeMarket(place: Place, shapes: readonly PluginShape[], name = "shapes"): string {
  const root = join(place.path, name)
  writeAll(root, sharedFiles)
  for (const { name: plugin, files, links = {} } of shapes) {
    writeAll(join(root, "plugins", plugin), files)
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, "plugins", plugin, path))
  }
  const plugins = shapes.map(({ name: plugin, entry = {} }) => ({
    name: plugin,
    source: `./plugins/${plugin}`,
    ...entry,
  }))
  writeAll(root, { ".claude-plugin/marketplace.json": { name, owner: { name: "Tests" }, plugins } })
  return root
}

export async function settingOf(place: Place, argv: readonly string[] = []): Promise<StartupContext> {
  const args = parseArguments<FlagName>(argv, flags)
  if (!args.ok) throw new Error(args.failure.message)
  const env = { HOME: place.home, CODEWRIGHT_HOME: place.state, PATH: process.env["PATH"] ?? "" }
  const setting = await readSetting(args.value, place.work, "as kept", env)
  if (!setting.ok) throw new Error(setting.failure.message)
  return setting.value
}

export async function contextOf(place: Place, argv: readonly string[] = []): Promise<PluginContext> {
  return openPluginContext(await settingOf(place, argv), new AbortController().signal)
}

export function valueOf<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: unknown },
): T {
  if (!result.ok) throw new Error(String(result.failure))
  return result.value
}
