/** A team as its lead has it open: the store, the claims of this process, the members, and the lead's mail. */

import { hostname } from "node:os"
import type { Attachment } from "#agent/words/kit.ts"
import type { AssignTask, TeamOverview } from "#agent/words/team.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { ownerOf } from "#ground/transcript/lock.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { MemberAsk, StartedMember } from "#kits/subagents/members.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { assigning } from "./assign.ts"
import { openClaims } from "./claims.ts"
import { openFleetHost } from "./hosts/fleet.ts"
import { type HereParts, openHereHost } from "./hosts/here.ts"
import type { MemberHost } from "./hosts/host.ts"
import { openProcessHost } from "./hosts/process.ts"
import { openLeadInbox } from "./lead-inbox.ts"
import { teamOverview } from "./overview.ts"
import { openMerge } from "#ground/workspace/git/merge.ts"
import { mergeTool } from "./merge-tool.ts"
import { openMembers } from "./members.ts"
import { openLeadState } from "./lead-state.ts"
import { openTeamLeases } from "./team-leases.ts"
import { leadName } from "./place.ts"
import { sendMessageTool } from "./send-message.ts"
import type { TeamStores } from "./team-stores.ts"
import { hookTasks } from "./task-hooks.ts"
import { openProgressReporter } from "./progress-reporter.ts"
import { taskTools } from "./task-tools.ts"

export interface Lead {
  readonly team: string
  readonly tools: readonly AnyTool[]
  readonly startMember: (ask: MemberAsk) => Promise<Result<StartedMember, string>>
  /** Starts the members again that were there when the lead was closed. */
  readonly startAgain: (isTurnLeftOpen: boolean) => Promise<void>
  readonly overview: () => Promise<TeamOverview>
  readonly assign: AssignTask
  readonly onEntry: (entry: Entry) => void
  /** All mail, at a step of the lead's. */
  readonly attachments: () => Promise<readonly Attachment[]>
  /** Mail that the lead is woken for. */
  readonly news: () => readonly Attachment[]
  /** Ends the team with everything it has, or says who is in the way. */
  readonly end: () => Promise<Result<void, string>>
  /** Ends what runs in this process; the team goes on when its lead does. */
  readonly close: () => Promise<void>
}

export interface LeadParts {
  readonly ports: TeamPorts
  readonly stores: TeamStores
  readonly team: string
  readonly description?: string | undefined
  /** The last message in the lead's log. */
  readonly mailTo: number
  readonly wake: () => void
}

/** After these, other rules, modes or budgets may be in force. */
const republishes: ReadonlySet<Entry["kind"]> = new Set([
  "mode",
  "gates",
  "grant",
  "budget",
  "gate",
  "model",
  "thinking",
  "command",
  "turn_start",
  "turn_end",
  "compaction",
  "head",
])

export async function openLead(parts: LeadParts): Promise<Lead> {
  const { ports, stores, team, wake } = parts
  const { clock, sessionId, pid } = ports
  const about = { name: team, lead: leadName, ...optional("description", parts.description) }
  const store = await stores.open(about)
  const me = { ...ownerOf(pid), host: hostname() }
  const onFailure = openFailures(ports)
  const joined = await store.roster.join({ name: leadName, sessionId, folder: ports.cwd, ...me })
  if (!joined.ok) {
    await store.close()
    throw new Error(`The team ${team} has a lead already.`)
  }
  const cares = stores.guarded === "here" ? "all" : "own"
  const leases = openTeamLeases(store, { clock, me, cares, onFailure })
  const canAsk = ports.ask !== undefined
  const inbox = openLeadInbox({ store, lead: leadName, cursor: parts.mailTo, canAsk, onFailure })
  const { costUsd } = joined.value
  const progress = openProgressReporter({ name: leadName, roster: store.roster, clock, costUsd, onFailure })
  const own = openLeadState({ name: leadName, roster: store.roster, onFailure })
  const asked = new Set<string>()
  let isClosing = false
  let isRefreshing = false
  let isStirred = false

  const common = {
    ports,
    stores,
    team,
    lead: leadName,
    store,
    leases,
    me,
    isClosing: () => isClosing,
    onFailure,
  }
  const host = openHost(common)
  const members = openMembers({ ...common, host })
  const tasks = hookTasks(
    { board: store.board, claims: openClaims({ board: store.board, leases, name: leadName }) },
    { hook: ports.hook, who: leadName, team },
  )

  async function refreshAll(): Promise<void> {
    isRefreshing = true
    try {
      while (isStirred && !isClosing) {
        isStirred = false
        await inbox.checkMail()
        host.attend()
        leases.attend()
        ports.publish({ type: "team_change" })
        if (inbox.news().length > 0) wake()
      }
    } catch (error) {
      if (!isClosing) onFailure(error)
    } finally {
      isRefreshing = false
    }
  }

  const unwatch = store.watch(() => {
    isStirred = true
    if (!isRefreshing) void refreshAll()
  })

  async function shut(): Promise<void> {
    unwatch()
    await progress.close().catch(onFailure)
    await own.settled()
    host.close()
    leases.close()
    await store.close()
  }

  return {
    team,
    tools: [
      ...taskTools(tasks.board, tasks.claims),
      ...mergeTools(ports, { ...store, board: tasks.board, bring: host.clones?.bring }),
      sendMessageTool({
        name: leadName,
        mail: store.mail,
        objection: ({ type }) =>
          type === "shutdown_response" || type === "plan_approval_request" ? `A lead sends no ${type}.` : undefined,
        // One that has left continues when it is written to. Where it cannot, the message says that it has left.
        async instead({ type, to }) {
          if (type === "message" && to !== "*") await members.bringBack(to)
          return undefined
        },
        onSent: ({ type, to }) => void (type === "shutdown_request" && asked.add(to)),
      }),
    ],
    startMember: members.start,
    async startAgain(isTurnLeftOpen) {
      if (!isTurnLeftOpen) await store.roster.idle(leadName, inbox.cursor())
      await members.resume()
      host.attend()
    },
    async overview() {
      await inbox.checkMail()
      await host.refresh()
      return { ...(await teamOverview(store)), ...(inbox.isReminding() && { isReminding: true }) }
    },
    assign: assigning(store, { lead: leadName, ids: ports.ids }),
    onEntry(entry) {
      inbox.onEntry(entry)
      progress.onEntry(entry)
      if (republishes.has(entry.kind)) host.publish()
      if (entry.kind === "turn_start") own.working()
      if (entry.kind === "turn_end") own.idle(inbox.cursor())
    },
    attachments: inbox.attachments,
    news: inbox.news,
    async end() {
      const working = (await store.roster.members())
        .filter(({ name, state }) => name !== leadName && state === "working")
        .filter(({ name }) => !asked.has(name) && !asked.has("*"))
      if (working.length > 0)
        return failed(
          `Still at work: ${working.map(({ name }) => name).join(", ")}. Send them a shutdown_request first, or wait for them.`,
        )
      await members.stop()
      await host.end()
      isClosing = true
      await shut()
      await stores.remove(team)
      return ok(undefined)
    },
    async close() {
      isClosing = true
      await members.stop()
      await shut()
    },
  }
}

function openHost(parts: HereParts): MemberHost {
  const { leadPort: port } = parts.ports
  const here = openHereHost(parts)
  if (port?.hosts.processes) return openProcessHost({ ...parts, port, processes: port.hosts.processes })
  return port?.hosts.sessions ? openFleetHost({ ...parts, port, sessions: port.hosts.sessions, here }) : here
}

const mergeTools = (
  { git }: Pick<TeamPorts, "git">,
  parts: Pick<Parameters<typeof mergeTool>[0], "board" | "roster" | "bring">,
): readonly AnyTool[] => (git ? [mergeTool({ ...git, ...parts, merge: openMerge(git) })] : [])

/** Told once: the next try may work. */
function openFailures({ record }: Pick<TeamPorts, "record">): (error: unknown) => void {
  let last = ""
  return (error) => {
    const text = `The team cannot be used: ${error instanceof Error ? error.message : String(error)}`
    if (text !== last) record({ kind: "notice", level: "warning", text })
    last = text
  }
}
