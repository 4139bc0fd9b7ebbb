/** Options as the flags that mean the same. */

import type { Options } from "./options.ts"
import { isInProcess } from "./servers.ts"

/** Always with `=`, so that a value that looks like a flag stays a value. */
export function flagsOf(options: Options): readonly string[] {
  const { tools, settings, settingSources } = options
  return [
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    ...value("model", options.model),
    ...value("fallback-model", options.fallbackModel),
    ...value("effort", options.effort),
    ...value("max-turns", options.maxTurns),
    ...value("max-budget-usd", options.maxBudgetUsd),
    ...value("max-thinking-tokens", options.maxThinkingTokens),
    ...value("permission-mode", options.permissionMode),
    ...value("permission-prompt-tool", options.canUseTool ? "stdio" : options.permissionPromptToolName),
    ...value("agent", options.agent),
    ...value("resume", options.resume),
    ...value("resume-session-at", options.resumeSessionAt),
    ...value("session-id", options.sessionId),
    ...value("settings", typeof settings === "object" ? JSON.stringify(settings) : settings),
    ...value("setting-sources", settingSources?.join(",")),
    ...value("tools", tools === undefined ? undefined : "preset" in tools ? "default" : tools.join(",")),
    ...list("allowed-tools", options.allowedTools),
    ...list("allowed-tools", skillRules(options.skills)),
    ...list("disallowed-tools", options.disallowedTools),
    ...list("add-dir", options.additionalDirectories),
    ...list("betas", options.betas),
    ...(options.plugins ?? []).map(
      ({ path, skipMcpDiscovery }) => `--${skipMcpDiscovery ? "plugin-dir-no-mcp" : "plugin-dir"}=${path}`,
    ),
    ...servers(options.mcpServers),
    ...switchFlag("continue", options.continue),
    ...switchFlag("fork-session", options.forkSession),
    ...switchFlag("strict-mcp-config", options.strictMcpConfig),
    ...switchFlag("no-session-persistence", options.persistSession === false),
    ...switchFlag("allow-dangerously-skip-permissions", options.allowDangerouslySkipPermissions),
    ...switchFlag("include-partial-messages", options.includePartialMessages),
    ...switchFlag("include-hook-events", options.includeHookEvents),
    ...Object.entries(options.extraArgs ?? {}).map(([flag, text]) =>
      text === null ? `--${flag}` : `--${flag}=${text}`,
    ),
  ]
}

const value = (flag: string, text: string | number | undefined): readonly string[] =>
  text === undefined ? [] : [`--${flag}=${text}`]

const list = (flag: string, values: readonly string[] = []): readonly string[] =>
  values.map((one) => `--${flag}=${one}`)

/** The skills that are wanted are loaded without a question. */
function skillRules(skills: Options["skills"]): readonly string[] {
  if (skills === undefined) return []
  return skills === "all" ? ["Skill"] : skills.map((name) => `Skill(${name})`)
}

const switchFlag = (flag: string, isGiven: boolean | undefined): readonly string[] => (isGiven ? [`--${flag}`] : [])

function servers(all: Options["mcpServers"] = {}): readonly string[] {
  const outside = Object.entries(all).filter(([, server]) => !isInProcess(server))
  return outside.length === 0 ? [] : [`--mcp-config=${JSON.stringify({ mcpServers: Object.fromEntries(outside) })}`]
}
