/** What settings say about commands, skills and output styles. */

import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { PluginFolders } from "#ground/extensions/plugins.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import type { ExtensionChoice } from "#session/opening/options.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { noPlugins, type Plugins } from "./plugins.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function extensionSetting(
  args: Arguments<FlagName>,
  { loaded, loading, environment, home, cwd }: StartupContext,
  plugins: Plugins = noPlugins,
): { readonly choice: ExtensionChoice; readonly warnings: readonly string[] } {
  const { outputStyle, attribution, skillListingBudgetFraction } = loaded.settings
  return {
    choice: {
      claudeFolder: environment.claudeFolder ?? join(home, ".claude"),
      bundled: true,
      ...optional("commands", args.has("disable-slash-commands") ? ("off" as const) : undefined),
      ...optional(
        "sources",
        loading.extensions?.filter((source) => source !== "local"),
      ),
      ...(plugins.all.length > 0 && { plugins: plugins.all.map(foldersOf) }),
      ...optional("outputStyle", outputStyle),
      ...optional("listingShare", skillListingBudgetFraction),
      ...optional("listingCharacters", environment.skillListingCharacters),
      ...optional("trailer", trailerOf(loaded.settings)),
      ...(attribution === "by-share" && { trailerBy: "share" as const }),
    },
    warnings: [
      ...workflowsNote([
        join(cwd, ".claude"),
        environment.claudeFolder ?? join(home, ".claude"),
        ...plugins.all.map(({ root }) => root),
      ]),
    ],
  }
}

/** Nothing reads them here, and nobody should have to find that out. */
function workflowsNote(folders: readonly string[]): readonly string[] {
  const found = [...new Set(folders.map((folder) => join(folder, "workflows")))].filter(hasScripts)
  return found.length === 0 ? [] : [`Workflows are not supported yet: ${found.map(forConsent).join(", ")}`]
}

function hasScripts(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => /\.[cm]?[jt]s$/.test(name))
  } catch {
    return false
  }
}

const foldersOf = ({ name, root, data, states, commands, skills, agents, styles }: PluginFolders): PluginFolders => ({
  name,
  root,
  ...optional("data", data),
  ...optional("states", states),
  commands,
  skills,
  agents,
  styles,
})

const usualTrailer = "Co-Authored-By: Codewright <noreply@codewright.invalid>"

/** The newer setting wins; as an object it contains the exact text. */
function trailerOf({ attribution, includeCoAuthoredBy }: StartupContext["loaded"]["settings"]): string | undefined {
  if (attribution === undefined) return includeCoAuthoredBy ? usualTrailer : undefined
  if (typeof attribution === "string") return attribution === "never" ? undefined : usualTrailer
  const { commit } = attribution
  if (typeof commit !== "string") return usualTrailer
  return commit.trim() === "" ? undefined : commit.trim()
}
