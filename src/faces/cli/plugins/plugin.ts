/** `codewright plugin`: plugins and marketplaces, from the command line. */

import { nearNames } from "#lib/near.ts"
import { pluginFlags } from "#faces/cli/flags/plugin-flags.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Io } from "#faces/cli/io.ts"
import { settingHere } from "#faces/cli/startup-context-here.ts"
import type { PluginCall } from "./plugin-call.ts"

export const help: CommandHelp = {
  usage: ["codewright plugin <verb>", "codewright plugin marketplace <verb>"],
  about:
    "Plugins bundle commands, skills, agents, hooks and servers. Installing one runs nothing: you see first what it would run, and it is pinned to exactly the files you saw.",
  verbs: [
    ["list", "List the installed plugins."],
    [
      "details <plugin>",
      "Show what a plugin would run, what it adds to each prompt, and who made it; installed or not.",
    ],
    [
      "install <plugin>[@marketplace] | <source>",
      "Install and enable a plugin, from a marketplace, a folder, a repository, an archive or npm.",
    ],
    ["enable | disable <plugin> [--scope]", "Turn an installed plugin on or off."],
    ["update [plugin]", "Update one plugin, or all. You are asked again if what it runs changes."],
    ["remove <plugin>", "Remove a plugin."],
    ["validate [folder]", "Check a plugin or a marketplace that you are writing."],
    ["marketplace add <source>", "Add a marketplace: owner/repo, a git or https address, or a folder."],
    ["marketplace list", "List the marketplaces and how many plugins each has."],
    ["marketplace update [name]", "Fetch the list of one marketplace again, or of all."],
    ["marketplace remove <name>", "Remove a marketplace. Its plugins stay installed."],
  ],
  table: pluginFlags,
  examples: [
    "codewright plugin marketplace add acme/plugins",
    "codewright plugin install reviewer@acme-tools",
    "codewright plugin install https://example.com/tools.git#v1.2.0:reviewer",
    "codewright plugin install npm:@acme/reviewer@2.1.0",
  ],
}

type Verb = (call: PluginCall, words: readonly string[]) => Promise<number>

const verbs: { readonly [name: string]: () => Promise<Verb> } = {
  list: async () => (await import("./plugin-list.ts")).list,
  details: async () => (await import("./plugin-list.ts")).details,
  validate: async () => (await import("./plugin-validate.ts")).validate,
  install: async () => (await import("./plugin-change.ts")).install,
  update: async () => (await import("./plugin-change.ts")).update,
  remove: async () => (await import("./plugin-change.ts")).remove,
  enable: async () => (await import("./plugin-change.ts")).enable,
  disable: async () => (await import("./plugin-change.ts")).disable,
  marketplace: async () => (await import("./marketplace-verbs.ts")).marketplace,
}

const aliases: { readonly [name: string]: string } = {
  i: "install",
  uninstall: "remove",
  rm: "remove",
  info: "details",
}

export async function pluginCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, pluginFlags, help, io)
  if (typeof args === "number") return args
  const [typed = "list", ...words] = args.rest
  const verb = verbs[aliases[typed] ?? typed]
  if (!verb) {
    const near = nearNames(typed, Object.keys(verbs), 1)[0]
    return io.fail(
      `plugin has no verb '${typed}'${near ? `; did you mean ${near}?` : "; codewright plugin --help lists them."}`,
    )
  }
  const setting = await settingHere(io)
  if (!setting) return 1
  const { openPluginContext } = await import("./plugin-context.ts")
  const context = openPluginContext(setting, new AbortController().signal)
  try {
    return await (
      await verb()
    )({ context, args, io }, words)
  } finally {
    await context.close()
  }
}
