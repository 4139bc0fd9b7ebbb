/** What a plugin would run, permit and add to every prompt: read from its files, without starting anything. */

import { relative } from "node:path"
import { pluginAgentFiles } from "#ground/extensions/agent-files.ts"
import { markdownAt } from "#ground/extensions/find.ts"
import type { Plugin } from "#ground/extensions/plugins.ts"
import type { PluginRun } from "#ground/plugins/store.ts"
import { decodeCommand } from "#kits/commands/decode.ts"
import { commandLine } from "#kits/commands/line.ts"
import { listing } from "#kits/skills/listing.ts"
import { decodeFile } from "#kits/subagents/decode.ts"
import { agentLines } from "#kits/subagents/line.ts"
import { agentLine } from "#kits/subagents/roster.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { pluginFiles, wrongWith } from "#session/adapters/command-files.ts"

export interface PluginParts {
  readonly commands: readonly string[]
  readonly skills: readonly string[]
  readonly agents: readonly string[]
  readonly styles: readonly string[]
}

export interface PluginView {
  readonly plugin: Plugin
  readonly runs: readonly PluginRun[]
  /** What its skills and agents add to every request. Tools of its servers come on top, which only they know. */
  readonly promptTokens: number
  readonly parts: PluginParts
  /** Every file that would be read into a prompt, relative to the plugin. */
  readonly read: readonly string[]
  readonly problems: readonly string[]
}

export function inspectPlugin(plugin: Plugin): PluginView {
  const { name, root } = plugin
  const problems: string[] = [...plugin.problems]
  const files = pluginFiles(plugin)
  const commands = files.flatMap((file) => {
    const decoded = decodeCommand(file, file.text() ?? "", wrongWith)
    if (!decoded.ok) problems.push(`Plugin ${name}: ${decoded.failure}`)
    return decoded.ok ? [decoded.value] : []
  })
  const found = pluginAgentFiles([plugin])
  const agents = found.files.flatMap((file) => {
    const { definitions, problems: wrong } = decodeFile(file)
    problems.push(...wrong)
    return definitions
  })
  problems.push(...found.problems)
  const shown = listing(
    commands.filter(({ isForModel }) => isForModel),
    Number.POSITIVE_INFINITY,
  )
  const listed = [...(shown?.text.split("\n").slice(1) ?? []), ...agents.map(agentLine)]
    .map((line) => `${line}\n`)
    .join("")
  const styles = plugin.styles.flatMap(markdownAt)
  return {
    plugin,
    runs: [
      ...plugin.hooks.flatMap(({ hooks }) => hookRuns(hooks)),
      ...Object.entries({ ...plugin.servers, ...plugin.portableServers }).flatMap(([server, value]) =>
        serverRuns(server, value),
      ),
      ...Object.entries(plugin.languageServers).map(([server, value]) => ({
        kind: "language server",
        what: `${server}: ${describeRun(value)}`,
      })),
      ...settingRuns(plugin.settings),
      ...commands.flatMap((one) => {
        const line = commandLine(one, root)
        return line ? [{ kind: one.kind, what: `${one.name} ${[line.detail, ...line.more].join(", ")}` }] : []
      }),
      ...agents.flatMap((agent) =>
        agentLines(agent, { root, isSecret: () => false })
          .filter(({ what }) => !what.startsWith("agent "))
          .map(({ what, detail }) => ({ kind: "agent", what: `${agent.agentType}, ${what}: ${detail}` })),
      ),
    ],
    promptTokens: listed === "" ? 0 : estimateTokens(listed),
    parts: {
      commands: commands.flatMap((one) => (one.kind === "command" ? [one.name] : [])),
      skills: commands.flatMap((one) => (one.kind === "skill" ? [one.name] : [])),
      agents: agents.map(({ agentType }) => agentType),
      styles: styles.map((style) => `${name}:${style.name}`),
    },
    read: [
      ...files.map(({ path = "" }) => path),
      ...found.files.map(({ path }) => path),
      ...styles.map(({ path }) => path),
    ].map((path) => relative(root, path)),
    problems: [...new Set(problems)],
  }
}

function hookRuns(hooks: JsonObject): readonly PluginRun[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) => {
      const { matcher, hooks: own } = isObject(group) ? group : {}
      const on = typeof matcher === "string" && matcher !== "" ? ` on ${matcher}` : ""
      return listOf(own).map((hook) => ({ kind: "hook", what: `${event}${on}: ${describeRun(hook)}` }))
    }),
  )
}

function serverRuns(name: string, value: JsonValue): readonly PluginRun[] {
  const helper = isObject(value) && typeof value.headersHelper === "string" ? value.headersHelper : undefined
  return [
    { kind: "server", what: `${name}: ${describeRun(value)}` },
    ...(helper === undefined ? [] : [{ kind: "server", what: `${name}, for its headers: ${helper}` }]),
  ]
}

const settingRuns = ({ agent, statusLine }: JsonObject): readonly PluginRun[] => [
  ...(statusLine === undefined ? [] : [{ kind: "status line", what: describeRun(statusLine) }]),
  ...(typeof agent === "string" ? [{ kind: "agent", what: `sessions act as ${agent}` }] : []),
]

/** The program or address, then everything else that changes what it does. */
function describeRun(value: JsonValue): string {
  if (!isObject(value)) return JSON.stringify(value)
  const { command, args, url, prompt, type, env, ...rest } = value
  const main =
    typeof command === "string"
      ? [shown(command), ...listOf(args).map(quoted)].join(" ")
      : shown(url ?? prompt ?? rest ?? "")
  const variables = isObject(env) ? Object.entries(env).map(([name, text]) => `${name}=${shown(text)}`) : []
  return [...variables, type === "prompt" || type === "agent" ? `${type}: ${main}` : main].join(" ")
}

/** Like a shell word, so that its end is visible. */
function quoted(word: JsonValue): string {
  const text = shown(word)
  return /^[\w@%+=:,./${}-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

const shown = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value))

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
