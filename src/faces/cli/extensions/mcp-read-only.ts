/** Marks servers as read-only in the user's settings: what plan mode and read-only agents may use of them. */

import { canBeMarked } from "#ground/mcp/readers.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { rulePlace } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { Io } from "#faces/cli/io.ts"
import type { McpFlag } from "#faces/cli/flags/mcp-flags.ts"
import { namedServer, settingHere } from "./mcp-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const key = "readOnlyMcpServers"

export async function changeMark(args: Arguments<McpFlag>, io: Io): Promise<number> {
  const [name, wanted = "on", ...more] = args.rest
  if (name === undefined || more.length > 0 || (wanted !== "on" && wanted !== "off"))
    return io.fail("read-only takes a server name, and off to remove the mark: codewright mcp read-only <name> [off]")
  return wanted === "on" ? mark(name, io) : unmark(name, io)
}

async function mark(name: string, io: Io): Promise<number> {
  const found = await namedServer([name], io)
  if (!found) return 1
  if (!canBeMarked(found.server)) return io.fail(`${name} cannot be marked as read-only: ${notCounted(found.server)}`)
  const { file, marked } = ownMarks(found.setting)
  const done = setSetting({ file, key, value: [...new Set([...marked, name])] })
  if (!done.ok) return io.fail(done.failure)
  io.say(`Marked ${name} as read-only in ${file}. Plan mode can use its tools from the next session on.`)
  return 0
}

async function unmark(name: string, io: Io): Promise<number> {
  const setting = await settingHere(io)
  if (!setting) return 1
  const { file, marked } = ownMarks(setting)
  if (!marked.includes(name))
    return io.fail(
      `${name} is not marked as read-only in ${file}. Find the setting with: codewright config explain ${key}`,
    )
  const done = setSetting({ file, key, value: marked.filter((one) => one !== name) })
  if (!done.ok) return io.fail(done.failure)
  io.say(`${name} is no longer marked as read-only in ${file}.`)
  return 0
}

/** Only the user's own file. */
function ownMarks({ loaded, cwd, state, home }: StartupContext): {
  readonly file: string
  readonly marked: readonly string[]
} {
  const { file } = rulePlace("user settings", { root: cwd, state, home })
  const said = loaded.explain(key).from.find((one) => one.file === file)?.value
  return { file, marked: Array.isArray(said) ? said.filter((one) => typeof one === "string") : [] }
}

export function markWords(server: Pick<McpServer, "name" | "source">, { loaded }: StartupContext): readonly string[] {
  if (!loaded.settings.readOnlyMcpServers?.includes(server.name)) return []
  return [
    canBeMarked(server)
      ? "marked as read-only: plan mode can use its tools"
      : `marked as read-only in your settings, but the mark has no effect: ${notCounted(server)}`,
  ]
}

const notCounted = ({ source }: Pick<McpServer, "source">): string =>
  source === "project"
    ? "this server comes from the project's .mcp.json. Add it for yourself first, with codewright mcp add."
    : "this server comes from a plugin. Add it for yourself first, with codewright mcp add."
