/** Opens a session where it was left, on whatever machine that was, and lets it continue. */

import { existsSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { isOver } from "#agent/words/stage.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import type { JsonObject } from "#lib/json.ts"
import { openActivity } from "./activity.ts"
import { openFollowed } from "./follow.ts"
import { type HeldSession, type HoldParts, isUnsaved, lastEnd } from "./held-session.ts"
import { heldTeams } from "./held-teams.ts"
import { copyTo, fetchLog } from "./local-log.ts"
import { memberSessions } from "./member-sessions.ts"
import { sharedWords } from "./moved-words.ts"
import type { Persist } from "./persist.ts"
import type { SessionNews } from "#fleet/records.ts"
import { openShipper } from "./ship.ts"
import { sharedBudget } from "./shared-budget.ts"
import { openTeamTrees } from "./team-trees.ts"

/** Nothing if there is nothing to do, or it cannot be opened, which is then said in its record. */
export async function resumeHeld(parts: HoldParts, persist: Persist): Promise<HeldSession | undefined> {
  const { store, lease, scratch, clock } = parts
  const id = lease.sessionId
  const record = await persist(() => store.sessions.get(id))
  if (!record) return undefined
  const ops = await persist(() => store.ops.waiting(id))
  const park = async (news: SessionNews): Promise<undefined> => {
    await persist(() => store.leases.park(lease, news))
    return undefined
  }
  const hasWork = ops.length > 0 || (record.stage === "completed" && (await persist(() => store.teams.owes(id))))
  if (isOver(record.stage) && !hasWork) return park({})
  const fail = (text: string): Promise<undefined> => park({ stage: "failed", result: { ok: false, text } })
  const workplace = await persist(() => parts.workplaces.prepare(record, lease))
  if (!workplace.ok) return workplace.failure.kind === "fenced" ? undefined : fail(workplace.failure.message)
  const { cwd, plans, worktrees, folder, reads } = workplace.value
  const sharing = "path" in record.opening.workspace ? await persist(() => store.sessions.sharingFolder(id)) : []
  const notes = [...workplace.value.notes, ...(sharing.length > 0 ? [sharedWords(sharing.length)] : [])]
  const sessionLogs = openSessionLogs({ projects: scratch, slug: "logs" })
  const local = await persist(() => fetchLog(id, { path: sessionLogs.logPath(id), folder }, store.lines))
  const activity = openActivity()
  const shipper = openShipper({
    lines: store.lines,
    lease,
    already: local.lines,
    clock,
    // Whoever continues elsewhere finds the files as these lines say they are.
    async before() {
      const { isBehind, keep } = workplace.value
      if (activity.takeChanged() || isBehind()) await keptOr(parts.lost, () => persist(keep))
    },
  })
  const copy = copyTo(local, shipper)
  const log =
    local.lines === 0
      ? ({ kind: "new", folder } as const)
      : ({ kind: "resume", path: local.path, folder, why: parts.cutBy } as const)
  const { onCall, watched } = activity
  const followed = openFollowed()
  if (local.lines > 0) restorePlan(entriesIn(local.path), plans)
  const lead = record.lead ?? id
  const { keep, bring } = workplace.value
  const trees = bring && openTeamTrees({ store, own: id, lead, keep, bring, persist })
  const teams = heldTeams(store.teams, lease, { lead, plans, persist, trees })
  const handed = (team: string): Promise<JsonObject | undefined> => persist(() => store.teams.handed(lead, team))
  const members = memberSessions({ ...parts, record, persist, trees })
  const opened = await parts.open({
    record,
    cwd,
    // The log says it, unless a worker ended right after its first line.
    ...(!local.saysMode && { mode: record.mode }),
    ...(!local.saysBudget && { budgetUsd: record.opening.budgetUsd }),
    plans,
    worktrees,
    reads,
    teams,
    handed,
    members,
    budget: async (budget) => ({
      budget: sharedBudget({ store, lease, lead, persist }, budget),
      spent: await persist(() => store.spending.of(id)),
    }),
    log,
    sessionLogs,
    copy,
    onCall,
    // Nothing that somebody allowed runs before the audit says what.
    onRun({ callId, tool, input }) {
      const approvalId = followed.takeApproval(callId)
      if (approvalId === undefined) return undefined
      return persist(() => store.approvals.ran(lease, approvalId, { tool: tool.name, input })).then(() => undefined)
    },
    watched,
    notes,
  })
  if (!opened.ok) {
    shipper.close()
    return fail(opened.failure)
  }
  const { session } = opened.value
  for (const entry of await session.ask({ type: "turn" })) followed.onEntry(entry)
  const heldSession = {
    ...parts,
    record,
    opened: opened.value,
    session,
    workplace: workplace.value,
    local,
    shipper,
    activity,
    followed,
    persist,
  }
  await goOn(heldSession)
  return heldSession
}

/** If the session is lost meanwhile, the barrier itself says so. */
async function keptOr(lost: AbortSignal, keep: () => Promise<void>): Promise<void> {
  await keep().catch((error: unknown) => {
    if (!lost.aborted) throw error
  })
}

function entriesIn(path: string): readonly Entry[] {
  const loaded = loadTail(path, { torn: "leave" })
  return loaded.ok ? loaded.value.entries : []
}

/** On another machine, the plan that was shown is where it was. */
function restorePlan(entries: readonly Entry[], plans: string): void {
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "question" || entry.question.ask.kind !== "plan") continue
    const { path, plan } = entry.question.ask
    if (dirname(path) === plans && !existsSync(path)) writeFileSync(path, plan, { mode: 0o600 })
    return
  }
}

/** A turn that was cut off, other than by waiting for a person, continues with a word about it: once, whoever is killed meanwhile. */
async function goOn({ session, local, cutBy }: HeldSession): Promise<void> {
  const end = await lastEnd(session)
  const promptId = end?.cause === "program_ended" || isUnsaved(end) ? `continue-${end?.turnId}` : undefined
  if (promptId !== undefined && !local.has(promptId))
    await session.submit({
      type: "prompt",
      content: [{ type: "text", text: cutWords(cutBy) }],
      when: "queue",
      promptId,
      as: "text",
      origin: { kind: "made" },
    })
  await session.submit({ type: "release" })
}

const cutWords = (cutBy: string): string =>
  `The last turn was cut off: ${cutBy}. It continues now, perhaps on another machine. Look at what was done, then continue with the task.`
