/** Members in processes of their own: what the lead's session gives them, and how theirs is opened from that. */

import type { ChildWorktree } from "#agent/words/child.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import { type PermissionRule, type RuleText, ruleText } from "#kits/permissions/rule.ts"
import type { MemberSeat } from "#kits/subagents/child.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { Handed, LeadApart, MemberHost } from "#session/opening/apart.ts"
import type { ParentPorts } from "#session/opening/child.ts"
import { decodeOpening, type LiveHalf, openedAs, type Opening, openingOf } from "#session/opening/opening.ts"
import type { SandboxChoice, SessionOptions } from "#session/opening/options.ts"
import type { OwnProcess } from "#session/opening/own-process.ts"
import { agentShelf, openMemberPlace, optionsOf, type SpawnerParts } from "./spawn.ts"

/** What the session of a member is opened with, besides what is handed down to it. Plain JSON. */
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

/** Why members of this session cannot run elsewhere; undefined if they can. */
export function notApart({ plan, client, members, gates }: SessionOptions, isKept: boolean): string | undefined {
  if (!isKept) return "this session is not saved"
  if (Object.keys(client?.hooks ?? {}).length > 0 || (client?.servers ?? []).length > 0)
    return "the program that runs this session has hooks or servers of its own"
  if ((plan?.enforce ?? "off") !== "off") return "plans are enforced here (plan.enforce)"
  // How far the tests are is known to one log only; what other gates ask, each session asks by itself.
  return members?.sessions && gates?.testFirst === true ? "tests come first in this session" : undefined
}

export function openApart(parts: SpawnerParts, host: MemberHost): LeadApart {
  const { options, ground, parent, state } = parts
  const ledger: LeadApart["ledger"] = {
    book: (spent) => parent().ledger.book(spent),
    share: (shared) => parent().ledger.share(shared),
  }
  return {
    host,
    ledger,
    onSpent: parts.onSpent,
    handed(): Handed {
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
        ...given("model", model),
        log: log === "new" ? "new" : "again",
        lead: {
          sessionId: parent().sessionId,
          transcript: parent().transcript ?? "",
          sessionFolder: ground.sessionFolder,
          ...given("repository", ground.repository?.root),
        },
        opening: { ...opening, place: { ...opening.place, addedFolders: ground.folders.added } },
        ...given("sandbox", options.sandbox),
        ...given("hooks", options.hooks),
        ...given("worktree", worktree),
      }
      const plain: JsonValue = JSON.parse(JSON.stringify(made))
      return isObject(plain) ? plain : {}
    },
    placeFor: (ask) => openMemberPlace(parts, ask),
    remember: (grant) => parent().grants.remember(grant),
    widen: (wider) => parent().widen(wider),
    update: (updates) => parent().update(updates),
    warn: (text) => parent().warn(text),
    note: (fact) => parent().gates.note(fact),
    async overBudget(ask, signal) {
      // Here everybody's spending is known by name.
      const reserved = await parent().ledger.reserve(ask)
      if (!reserved.ok) return parent().overBudget(reserved.failure, signal)
      reserved.value.release()
      return "again"
    },
  }
}

const asText = (rule: PermissionRule): RuleText => ({
  behavior: rule.behavior,
  text: ruleText(rule),
  source: rule.source,
  ...given("base", rule.base),
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

export interface FarSession {
  readonly ports: ParentPorts
  readonly handed: Pick<Handed, "model" | "thinking">
  readonly seat: MemberSeat
  readonly process: OwnProcess
}

/** The options of a member's session in its own process. Settings may have changed since the lead read them: what it was opened with counts. */
export function memberOptions(member: MemberOpening, live: LiveHalf, far: FarSession): SessionOptions {
  const { opening, lead, agentId, definition, log, model, worktree } = member
  const { promptTool, ...permissions } = opening.permissions
  const manner = promptTool === undefined ? opening.manner : ({ ...opening.manner, asks: "client" } as const)
  const opened = openedAs({ ...opening, permissions, manner }, live)
  const base: SessionOptions = {
    ...opened,
    permissions: { ...opened.permissions, rules: opening.permissions.rules },
    ...given("sandbox", member.sandbox),
    hooks: member.hooks ?? [],
  }
  const options = optionsOf(
    {
      options: base,
      isKept: true,
      onSpent: () => {},
      depth: 1,
      ports: far.ports,
      state: far.handed,
      addedFolders: opening.place.addedFolders,
      repository: lead.repository,
      process: far.process,
    },
    { agentId, definition, model, log, member: far.seat },
    agentShelf(live.shelf, lead.sessionFolder),
    worktree,
  )
  return { ...options, ...given("mcp", together(live.mcp, options.mcp)) }
}

/** The servers of the session are those of the lead, in another process. */
const together = (all: McpChoice | undefined, own: McpChoice | undefined): McpChoice | undefined =>
  all && own ? { ...own, servers: [...all.servers, ...own.servers] } : (all ?? own)
