/** npx, as far as it prints a version: its own, or that of a well-known program of which the project has no copy. */

import { type Argument, exactTexts } from "#ground/workspace/shell/argument.ts"
import { under } from "#ground/workspace/shell/paths.ts"
import { type Finding, refused, type CommandContext } from "./program.ts"
import { parents, strayFile } from "#ground/workspace/shell/stray-file.ts"

/**
 * Packages that own their names and print their version before they look at the project; nothing is downloaded, since
 * what runs without asking may not.
 */
const known: ReadonlySet<string> = new Set(
  "biome cypress esbuild eslint jest next playwright prettier rollup stylelint ts-node tsc tsx typescript vite vitest".split(
    " ",
  ),
)

export function judgeNpx(args: readonly Argument[], standing: CommandContext): Finding {
  const all = exactTexts(args)
  if (!all) return refused("one of its words is not known")
  if (all.length === 1 && /^(?:-v|--version|--help)$/.test(all[0] ?? "")) {
    const why = strayFile({ unlessNpmrc: true }, standing)
    return why === undefined ? { ok: true, reads: [], writes: [], relies: true } : refused(why)
  }
  const [name = "", flag, ...more] = all.filter((word) => word !== "--no-install" && word !== "--no")
  if (!known.has(name) || more.length > 0 || !(flag === "--version" || (flag === "-v" && name === "tsc")))
    return refused("it runs another program")
  // What is in the project is the project's code, whatever its name.
  if (carries(standing)) return refused(`it would run the ${name} of the project`)
  return { ok: true, reads: [], writes: [], relies: true }
}

/** Whether the project has its own programs, or settings that change where they come from. */
function carries(standing: CommandContext): boolean {
  const { folders, place } = standing
  if (strayFile({ unlessNpmrc: true }, standing) !== undefined) return true
  const lies = (folder: string, path: string): boolean => place.exists?.(under(folder, path)) ?? true
  return (folders ?? ["/"]).flatMap(parents).some((folder) => {
    const manifest = under(folder, "package.json")
    // A package without a program of its own can still be what another one delegates to.
    if (lies(folder, "node_modules")) return true
    return folder !== place.home && lies(folder, "package.json") && !isPlain(place.text?.(manifest))
  })
}

/** A package without programs and nested packages. */
function isPlain(text: string | undefined): boolean {
  try {
    const value: unknown = JSON.parse(text ?? "")
    return typeof value === "object" && value !== null && !("bin" in value) && !("workspaces" in value)
  } catch {
    return false
  }
}
