/** What hooks run with, inside and outside a session: rules that narrow them, URLs, and their environment. */

import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { openRealPaths, realPath } from "#ground/workspace/paths.ts"
import type { Places } from "#ground/workspace/places.ts"
import type { HookPlugin } from "#kits/hooks/config.ts"
import { pluginVariables } from "#ground/extensions/plugin-variables.ts"
import type { DispatchPorts } from "#kits/hooks/dispatch.ts"
import type { RunPorts } from "#kits/hooks/run.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { guards } from "#kits/permissions/rules/match.ts"
import type { Workspace } from "#kits/permissions/paths.ts"
import { parseRules, type PermissionRule, settleRules } from "#kits/permissions/rules/rule.ts"
import { noWalls } from "#kits/permissions/walls.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Network } from "#lib/network.ts"
import { failed } from "#lib/result.ts"
import { opensHostToProject } from "./ground.ts"

const asRule = (text: string, base?: string): ReturnType<typeof parseRules> =>
  parseRules([{ behavior: "ask", text, source: "session", ...optional("base", base) }])

export const ruleProblem = (text: string): string | undefined =>
  asRule(text).problems.find(({ level }) => level === "error")?.message

/** If it is unclear whether a rule covers a call, it does: one hook too many is better than one too few. */
export function openRuleJudge(parts: {
  readonly workspace: Workspace
  readonly cwd: () => string
  /** Where calls were declared to lead, in a session. */
  readonly places?: Pick<Places, "declared">
}): DispatchPorts["isAbout"] {
  const { workspace, places } = parts
  const analyzer = openCommandAnalyzer()
  const known = new Map<string, readonly PermissionRule[]>()
  return async (text, { tool, input, parsed, footprint }) => {
    const rules = known.get(text) ?? settleRules(asRule(text, workspace.root).rules, workspace, realPath)
    known.set(text, rules)
    if (footprint.runs.length > 0) await analyzer.load()
    const call = judgedCall({
      tool,
      input,
      footprint,
      workspace,
      cwd: parts.cwd(),
      realPath: openRealPaths((path) => places?.declared(parsed, path)),
      walls: noWalls,
      analyzer: analyzer.now(),
    })
    return rules.some((rule) => guards(rule, call) !== "no")
  }
}

const mostAnswerBytes = 1_000_000

/** A URL from a project is checked like one that the model names; the user's own is used as is. */
export const openHookPost =
  ({
    clock,
    rules,
    network,
  }: {
    readonly clock: Clock
    readonly rules: readonly PermissionRule[]
    readonly network: Network
  }): RunPorts["post"] =>
  async ({ isProject, event, ...wanted }, signal) => {
    const purpose = { why: "hook", name: event, chosenBy: isProject ? "others" : "user" } as const
    const offline = network.refusal(purpose, wanted.url)
    if (offline !== undefined) return failed(offline)
    const [{ post }, { chosenAddresses, guardedAddresses }] = await Promise.all([
      import("#ground/web/post.ts"),
      import("#ground/web/addresses.ts"),
    ])
    const policy = isProject
      ? guardedAddresses((host) => rules.some((rule) => opensHostToProject(rule, host)))
      : chosenAddresses
    return post({ clock, policy, network, purpose }, { ...wanted, signal, mostBytes: mostAnswerBytes })
  }

export const hookEnvironment = (about: {
  readonly root: string
  readonly sessionId: string
  readonly entrypoint: string
  readonly pid: number
  readonly plugin?: HookPlugin | undefined
  readonly envFile?: string | undefined
}): { readonly [name: string]: string } => ({
  CLAUDE_PROJECT_DIR: about.root,
  CODEWRIGHT_PROJECT_DIR: about.root,
  CLAUDE_CODE_SESSION_ID: about.sessionId,
  CODEWRIGHT_SESSION_ID: about.sessionId,
  CLAUDE_CODE_ENTRYPOINT: about.entrypoint,
  CLAUDE_PID: String(about.pid),
  CLAUDECODE: "1",
  CODEWRIGHT: "1",
  ...(about.plugin && pluginVariables(about.plugin)),
  ...(about.envFile !== undefined && { CLAUDE_ENV_FILE: about.envFile, CODEWRIGHT_ENV_FILE: about.envFile }),
})
