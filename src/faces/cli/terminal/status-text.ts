/** `/status`: what this session runs with. */

import { closed } from "#agent/words/gates.ts"
import { modeNames } from "#agent/words/mode-names.ts"
import { simulatorName } from "#ground/models/simulated.ts"
import { costText, shortNumber } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { tilde } from "#lib/tilde.ts"
import { version } from "#lib/version.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import type { SandboxState } from "#session/port/query.ts"
import { cloudTitles } from "#faces/cli/models/cloud-names.ts"
import { keyInUse } from "#faces/cli/models/key-in-use.ts"
import { type ProgramParts, said } from "./program-parts.ts"
import { serversHere } from "#faces/cli/models/providers.ts"
import { keyWhere } from "#faces/cli/fleet/server-key.ts"

export async function statusAnswer(_: string, parts: ProgramParts): Promise<SlashAnswer> {
  return said(await statusText(parts))
}

export async function statusText({ setting, models, session, editor }: ProgramParts): Promise<string> {
  const { ask } = session
  const [about, state, servers, sandbox, stage, languages] = await Promise.all([
    ask({ type: "about" }),
    ask({ type: "state" }),
    ask({ type: "servers" }),
    ask({ type: "sandbox_state" }),
    ask({ type: "stage" }),
    ask({ type: "language_servers" }),
  ])
  const { home, loaded } = setting
  const { provider, window } = models.factsOf(state.model)
  const short = (path: string): string => forConsent(tilde(path, home))
  const files = [...new Set(loaded.list().flatMap(({ from }) => from.flatMap(({ file }) => file ?? [])))]
  const rows: readonly (readonly [string, string])[] = [
    ["Version", `Codewright ${version}`],
    ["Session", session.id],
    ...(about.logPath === undefined ? [] : [["", short(about.logPath)] as const]),
    ...modelRows(state.model, provider, setting),
    ["Folder", short(state.cwd)],
    ...(about.addedFolders.length > 0 ? [["", `also ${about.addedFolders.map(short).join(", ")}`] as const] : []),
    ["Trust", setting.trusted ? "trusted" : "not trusted: the project's hooks, servers and rules do not apply"],
    ["Mode", modeNames[state.mode]],
    ...(closed(stage.gates).length > 0 ? [["Gates", closed(stage.gates).join(", ")] as const] : []),
    ["Sandbox", sandboxWords[sandbox]],
    ["Context", `${Math.round((state.contextTokens / window) * 100)}% of ${shortNumber(window)} tokens used`],
    ["Cost", costText(state.costUsd)],
    ...optionalRow("Editor", editor?.words()),
    ["Settings", files.length === 0 ? "no settings files" : files.map(short).join(", ")],
    ["MCP servers", servers.length === 0 ? "none" : serverWords(servers)],
    ...(languages.length === 0 ? [] : [["Language servers", serverWords(languages)] as const]),
  ]
  const widest = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(widest)}  ${value}`).join("\n")
}

const optionalRow = (name: string, value: string | undefined): readonly (readonly [string, string])[] =>
  value === undefined ? [] : [[name, value]]

function modelRows(
  model: string,
  provider: string,
  setting: ProgramParts["setting"],
): readonly (readonly [string, string])[] {
  const row = (who: string): readonly [string, string] => ["Model", `${forConsent(model)} (${who})`]
  const other = otherWords.get(provider)
  if (other !== undefined) return [row(other)]
  const servers = serversHere(setting, "terminal")
  const server = servers.ok ? servers.value.find(({ choice }) => choice.name === provider) : undefined
  if (!server) return [row(providerWords(setting)), ...keyRows(setting)]
  const where = keyWhere(server.key(), setting)?.replace(/^key in /, "")
  return [row(`${server.choice.who}, ${forConsent(server.choice.baseUrl)}`), ["Key", where ?? "none"]]
}

/** Providers that the key of Anthropic is not for. */
const otherWords: ReadonlyMap<string, string> = new Map([[simulatorName, "built-in simulator"], ...cloudTitles])

const providerWords = ({ environment }: ProgramParts["setting"]): string =>
  environment.baseUrl === undefined ? "Anthropic API" : forConsent(environment.baseUrl)

function keyRows(setting: ProgramParts["setting"]): readonly (readonly [string, string])[] {
  const { source, which, notes } = keyInUse(setting)
  return [
    [
      "Key",
      source === "none" ? "none" : `${which.charAt(0).toLowerCase()}${which.slice(1)}`.replace(/^the key in /, ""),
    ],
    ...notes.map((note) => ["", note] as const),
  ]
}

const sandboxWords: { readonly [state in SandboxState]: string } = {
  off: "off",
  on: "on",
  auto: "on; commands in it run without asking",
  broken: "on, but it does not work here. /sandbox says why",
}

const serverWords = (servers: readonly { readonly name: string; readonly status: string }[]): string =>
  servers.map(({ name, status }) => `${forConsent(name)} (${status.replaceAll("_", " ")})`).join(", ")
