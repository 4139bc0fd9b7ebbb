/** What the agents, commands and skills of a project would run or allow, as lines. Nothing is loaded where there are none. */

import { join } from "node:path"
import { findRepository } from "#ground/workspace/git/git.ts"
import { findAgentFiles } from "#ground/extensions/agent-files.ts"
import type { ProjectLine } from "#ground/settings/project-lines.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { extensionSetting } from "./extensions.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export async function extensionLines(
  args: Arguments<FlagName>,
  setting: StartupContext,
): Promise<readonly ProjectLine[]> {
  return [...(await agentLines(args, setting)), ...(await commandLines(args, setting))]
}

async function agentLines(args: Arguments<FlagName>, setting: StartupContext): Promise<readonly ProjectLine[]> {
  const { cwd, state, environment, home } = setting
  const { sources } = extensionSetting(args, setting).choice
  if (sources && !sources.includes("project")) return []
  const claudeFolder = environment.claudeFolder ?? join(home, ".claude")
  const root = findRepository(cwd)?.root ?? cwd
  const { files } = findAgentFiles({ cwd, root, state, claudeFolder, trusted: true, chosen: ["project"] })
  if (files.length === 0) return []
  const [{ decodeFile }, { agentLines: linesOf }] = await Promise.all([
    import("#kits/subagents/decode.ts"),
    import("#kits/subagents/line.ts"),
  ])
  const place = { root: cwd, isSecret: setting.loaded.isSecret }
  return files.flatMap((file) => decodeFile(file).definitions.flatMap((one) => linesOf(one, place)))
}

/** The same limit as in a session. */
const mostRead = 1_000

async function commandLines(args: Arguments<FlagName>, setting: StartupContext): Promise<readonly ProjectLine[]> {
  const { cwd, home, state } = setting
  const { claudeFolder, sources, commands } = extensionSetting(args, setting).choice
  if (commands === "off" || (sources && !sources.includes("project"))) return []
  const where = {
    cwd,
    root: findRepository(cwd)?.root ?? cwd,
    home,
    stateFolder: state,
    claudeFolder,
    sources: ["project"],
  } as const
  const { extensionFolders } = await import("#ground/extensions/places.ts")
  if ([...extensionFolders(where, "commands"), ...extensionFolders(where, "skills")].length === 0) return []
  const [{ commandFiles, wrongWith }, { decodeCommand }, { commandLine }] = await Promise.all([
    import("#session/adapters/command-files.ts"),
    import("#kits/commands/decode.ts"),
    import("#kits/commands/line.ts"),
  ])
  // Beyond this none is trusted, so that none allows anything.
  return commandFiles(where, true)
    .slice(0, mostRead)
    .flatMap((file) => {
      const text = file.text()
      const decoded = text === undefined ? undefined : decodeCommand(file, text, wrongWith)
      return decoded?.ok ? (commandLine(decoded.value, cwd) ?? []) : []
    })
}
