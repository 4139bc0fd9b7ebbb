/** What is said about plugins: what one would run, what it adds, who made it, and how an update differs. */

import type { Pin } from "#ground/plugins/obtain.ts"
import { sourceWords } from "#ground/plugins/source.ts"
import type { Installed, PluginRun } from "#ground/plugins/store.ts"
import { counted, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import type { PluginView } from "./inspect.ts"
import type { Difference } from "./install.ts"
import type { StagedPlugin } from "./stage.ts"

export interface PluginFacts extends Pick<StagedPlugin, "id" | "source" | "pin" | "digest"> {
  readonly view: PluginView
}

/** Everything that somebody should see before they agree, as lines. Hidden characters are shown. */
export function pluginLines({ id, source, pin, digest, view }: PluginFacts): readonly string[] {
  const { plugin, runs, parts, promptTokens, problems } = view
  const { about } = plugin
  const servers = Object.keys(plugin.servers).length + Object.keys(plugin.portableServers).length
  const adds = [
    ...countOf(parts.commands, "command"),
    ...countOf(parts.skills, "skill"),
    ...countOf(parts.agents, "agent"),
    ...countOf(parts.styles, "output style"),
  ]
  return [
    [id, about.version].filter((one) => one !== undefined).join(" "),
    ...(about.description === undefined ? [] : [`  ${about.description}`]),
    `  Author: ${about.author ?? "not given"}${about.license === undefined ? "" : ` · ${about.license}`}`,
    `  Source: ${sourceWords(source)}${pinWords(pin)}`,
    `  Digest: ${digest.slice(0, 24)}`,
    `  Adds: ${adds.length === 0 ? "nothing for the model" : adds.join(", ")}`,
    `  In every prompt: ${tokensText(promptTokens)}${servers === 0 ? "" : `, and the tools of ${counted(servers, "server")}`}`,
    ...(runs.length === 0 ? ["  Runs: nothing"] : ["  Runs:", ...runs.map(runLine)]),
    ...(plugin.notFollowed.length === 0 ? [] : [`  Not supported: ${plugin.notFollowed.join(", ")}`]),
    ...problems.map((problem) => `  Problem: ${problem}`),
  ].map(forConsent)
}

const countOf = (names: readonly string[], what: string): readonly string[] =>
  names.length === 0 ? [] : [counted(names.length, what)]

const runLine = ({ kind, what }: PluginRun): string => `    ${kind.padEnd(15)} ${what}`

export function pinWords({ commit, version, sha256 }: Pin): string {
  if (commit !== undefined) return ` at commit ${commit.slice(0, 12)}`
  if (version !== undefined) return ` at version ${version}`
  return sha256 === undefined ? "" : ` with SHA-256 ${sha256.slice(0, 12)}`
}

const mostFiles = 20

export const differenceLines = ({ added, removed, files }: Difference): readonly string[] =>
  [
    ...added.map((run) => `  + ${runLine(run).trim()}`),
    ...removed.map((run) => `  - ${runLine(run).trim()}`),
    ...files.slice(0, mostFiles).map((path) => `  changed file: ${path}`),
    ...(files.length > mostFiles ? [`  and ${files.length - mostFiles} more files`] : []),
  ].map(forConsent)

/** As programs get it. */
export const pluginJson = (
  installed: Pick<Installed, "name" | "digest" | "runs" | "promptTokens"> & {
    readonly marketplace?: string | undefined
    readonly version?: string | undefined
  },
  enabled: boolean,
): object => {
  const { name, marketplace, version, digest, runs, promptTokens } = installed
  return { name, marketplace, version, digest, enabled, runs, promptTokens }
}

export const viewJson = ({ plugin, parts, problems }: PluginView): object => ({
  kind: plugin.kind,
  ...plugin.about,
  parts,
  notSupported: plugin.notFollowed,
  problems,
})
