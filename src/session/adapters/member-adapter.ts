/** Members in other processes: what the lead's session gives them, and how theirs is opened from that. */

import type { AgentSpending } from "#agent/words/budget.ts"
import type { ChildWorktree } from "#agent/words/child.ts"
import { noUsage } from "#agent/words/model.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import { type PermissionRule, type RuleText, ruleText } from "#kits/permissions/rules/rule.ts"
import type { MemberSeat, SpawnPorts } from "#kits/subagents/child.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { beginningState, foldState } from "#session/journal/state.ts"
import type { ParentPorts, SeparateSession } from "#session/opening/child.ts"
import type { Inherited } from "#session/opening/inherited.ts"
import type { LeadPort, MemberHosts } from "#session/opening/member-port.ts"
import { decodeOpening, type LiveHalf, openedAs, type Opening, openingOf } from "#session/opening/opening.ts"
import type { SandboxChoice, SessionOptions } from "#session/opening/options.ts"
import { agentLogs, openMemberPlace, optionsOf, type SpawnerParts } from "./spawn.ts"

/** What the session of a member is opened with, besides what it inherits. Plain JSON. */
export interface MemberOpening {
  readonly agentId: string
  readonly definition: AgentDefinition
  readonly model?: string
  readonly log: "new" | "again"
  readonly lead: {
    readonly sessionId: string
    readonly transcript: string
    readonly sessionFolder: string
    readonly repository?: string
  }
  readonly opening: Opening
  readonly sandbox?: SandboxChoice
  readonly hooks?: readonly HookSource[]
  readonly worktree?: ChildWorktree
}

/** Why members of this session run in its process, although they were meant not to; undefined if they need not. */
export function whyInProcess({ plan, client, members, gates }: SessionOptions, isKept: boolean): string | undefined {
  if (!isKept) return "this session is not saved"
  if (Object.keys(client?.hooks ?? {}).length > 0 || (client?.servers ?? []).length > 0)
    return "the program that runs this session has hooks or servers of its own"
  if ((plan?.enforce ?? "off") !== "off") return "plans are enforced here (plan.enforce)"
  // How far the tests are is known to one log only; what other gates ask, each session asks by itself.
  return members?.sessions && gates?.testFirst === true ? "tests come first in this session" : undefined
}

export function openLeadPort(parts: SpawnerParts, hosts: MemberHosts, entriesOf: SpawnPorts["entriesOf"]): LeadPort {
  const { options, ground, parent, state, onSpent } = parts
  return {
    hosts,
    onSpent,
    up: parent,
    inherited(): Inherited {
      const { mode, grants, denials, planSlug, gates } = parent()
      const { model, thinking, budget } = state()
      return {
        mode: mode(),
        rules: grants.rules().map(asText),
        destinations: grants.destinations,
        denials: [...denials()],
        budget,
        model,
        thinking,
        planSlug: planSlug(),
        gates: gates.gates,
        progress: gates.progress(),
      }
    },
    onRules: (listener) => parent().grants.onChange(listener),
    openingFor({ agentId, definition, model, log }, worktree): JsonObject {
      const opening = openingOf(options)
      const made: MemberOpening = {
        agentId,
        definition,
        ...optional("model", model),
        log: log === "new" ? "new" : "again",
        lead: {
          sessionId: parent().sessionId,
          transcript: parent().transcript ?? "",
          sessionFolder: ground.sessionFolder,
          ...optional("repository", ground.repository?.root),
        },
        opening: { ...opening, place: { ...opening.place, addedFolders: ground.folders.added } },
        ...optional("sandbox", options.sandbox),
        ...optional("hooks", options.hooks),
        ...optional("worktree", worktree),
      }
      const plain: JsonValue = JSON.parse(JSON.stringify(made))
      return isObject(plain) ? plain : {}
    },
    placeFor: (ask) => openMemberPlace(parts, ask),
    bookUnreported(agentId, who) {
      const own = (entriesOf(agentId) ?? []).reduce(foldState, beginningState(state()))
      const known = Object.entries(state().agents).filter(([name]) => name === who || name.startsWith(`${who}, `))
      const paid = total(Object.values(own.agents))
      const reported = total(known.map(([, spent]) => spent))
      const tokens = paid.tokens - reported.tokens
      if (tokens <= 0) return
      const costUsd = Math.max(0, paid.costUsd - reported.costUsd)
      // Of which kind the tokens were is in the member's log; what counts here is how many, and their cost.
      onSpent({ who, model: own.model, usage: { ...noUsage, input_tokens: tokens }, costUsd })
      parent().ledger.book({ who, costUsd, tokens })
    },
  }
}

const total = (spent: readonly AgentSpending[]): AgentSpending =>
  spent.reduce((sum, { costUsd, tokens }) => ({ costUsd: sum.costUsd + costUsd, tokens: sum.tokens + tokens }), {
    costUsd: 0,
    tokens: 0,
  })

const asText = (rule: PermissionRule): RuleText => ({
  behavior: rule.behavior,
  text: ruleText(rule),
  source: rule.source,
  ...optional("base", rule.base),
})

/** Written by us to a file that only the user can read; still, anything else is refused. */
export function readMemberOpening(value: JsonObject): MemberOpening | undefined {
  const { agentId, definition, log, lead, opening } = value
  const fits =
    typeof agentId === "string" &&
    isObject(definition) &&
    typeof definition.agentType === "string" &&
    (log === "new" || log === "again") &&
    isObject(lead) &&
    typeof lead.sessionId === "string" &&
    typeof lead.sessionFolder === "string" &&
    isObject(opening) &&
    decodeOpening(opening) !== undefined
  return fits ? (value as never) : undefined
}

export interface SeparateMember {
  readonly ports: ParentPorts
  readonly inherited: Pick<Inherited, "model" | "thinking">
  readonly seat: MemberSeat
  readonly separate: SeparateSession
}

/** The options of a member's session away from its lead. Settings may have changed since the lead read them: what it was opened with counts. */
export function memberOptions(member: MemberOpening, live: LiveHalf, own: SeparateMember): SessionOptions {
  const { opening, lead, agentId, definition, log, model, worktree } = member
  const { promptTool, ...permissions } = opening.permissions
  const manner = promptTool === undefined ? opening.manner : ({ ...opening.manner, asks: "client" } as const)
  const opened = openedAs({ ...opening, permissions, manner }, live)
  const base: SessionOptions = {
    ...opened,
    permissions: { ...opened.permissions, rules: opening.permissions.rules },
    ...optional("sandbox", member.sandbox),
    hooks: member.hooks ?? [],
  }
  const options = optionsOf(
    {
      options: base,
      isKept: true,
      onSpent: () => {},
      depth: 1,
      ports: own.ports,
      state: own.inherited,
      addedFolders: opening.place.addedFolders,
      repository: lead.repository,
      separate: own.separate,
    },
    { agentId, definition, model, log, member: own.seat },
    agentLogs(live.sessionLogs, lead.sessionFolder),
    worktree,
  )
  return { ...options, ...optional("mcp", together(live.mcp, options.mcp)) }
}

/** The servers of the session are those of the lead, in another process. */
const together = (all: McpChoice | undefined, own: McpChoice | undefined): McpChoice | undefined =>
  all && own ? { ...own, servers: [...all.servers, ...own.servers] } : (all ?? own)
