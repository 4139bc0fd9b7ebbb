/** Finds the files of commands and skills. */

import { dirname } from "node:path"
import { markdownAt, type OnPathRead, markdownBelow, realOf, skillsAt, skillsIn } from "#ground/extensions/find.ts"
import { type ExtensionPlace, extensionFolders } from "#ground/extensions/places.ts"
import type { PluginFolders } from "#ground/extensions/plugins.ts"
import { optional } from "#lib/optional.ts"
import { liesIn } from "#lib/lies-in.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import type { CommandFile } from "#kits/commands/decode.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"

export const wrongWith = (text: string): string | undefined =>
  parseRules([{ behavior: "deny", text, source: "command" }]).problems.find(({ level }) => level !== "warning")?.mistake

/** Nearest first; in one folder, skills before commands. In an untrusted folder, links that lead out of it are ignored. */
export function commandFiles(where: ExtensionPlace, trusted: boolean, onLook?: OnPathRead): readonly CommandFile[] {
  const isWithin = (path: string): boolean => {
    const root = realOf(where.root)
    const real = realOf(path)
    return root !== undefined && real !== undefined && real.startsWith(`${root}/`)
  }
  const skills = extensionFolders(where, "skills").flatMap(({ path: folder, source }) =>
    skillsIn(folder, onLook).map((found) => ({
      ...found,
      source,
      kind: "skill" as const,
      folder: dirname(found.path),
    })),
  )
  const commands = extensionFolders(where, "commands").flatMap(({ path: folder, source }) =>
    markdownBelow(folder, onLook).map(({ name, path }) => ({ name, path, source, kind: "command" as const })),
  )
  const all = [...skills, ...commands].map((file) => ({ ...file, text: () => textFiles.read(file.path)?.text }))
  const own = all.filter(({ source, path }) => source === "user" || trusted || isWithin(path))
  return [
    ...own.filter(({ source }) => source === "project"),
    ...own.filter(({ source }) => source === "user"),
    ...(where.plugins ?? []).flatMap(pluginFiles),
  ]
}

/** Whoever started the session named the plugin, so its files count like the user's own. */
export function pluginFiles({ name: plugin, root, data, commands, skills }: PluginFolders): readonly CommandFile[] {
  const found = [
    ...skills
      .flatMap(skillsAt)
      .map(({ name, path }) => ({ name, path, kind: "skill" as const, folder: dirname(path) })),
    ...commands.flatMap(markdownAt).map(({ name, path }) => ({ name, path, kind: "command" as const })),
  ]
  // A link may not bring in what did not come with the plugin.
  const inside = found.filter(({ path }) => liesIn(realOf(path) ?? "", root))
  return inside.map((file) => ({
    ...file,
    // A plugin that is one skill is called by its own name: the folder it was installed in has none.
    name: `${plugin}:${"folder" in file && file.folder === root ? plugin : file.name}`,
    source: "plugin",
    plugin: root,
    ...optional("pluginData", data),
    text: () => textFiles.read(file.path)?.text,
  }))
}
