/** Members as sessions of a fleet, on whatever machine: their lead starts them and publishes what is in force; they go on whether it runs or not. See decision 89. */

import type { Member } from "#agent/words/team.ts"
import { optional } from "#lib/optional.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LeadPort, MemberClones, MemberSessions } from "#session/opening/member-port.ts"
import type { HostedMember, HostParts, MemberHost, StartMember } from "./host.ts"

export interface FleetParts extends HostParts {
  readonly port: LeadPort
  readonly sessions: MemberSessions
  /** Members in this process. */
  readonly here: MemberHost
}

export function openFleetHost(parts: FleetParts): MemberHost {
  const { port, sessions, team, lead, store, onFailure } = parts
  const { cwd, record } = parts.ports
  let last = ""
  let isAttending = false
  let isStirred = false

  function publish(): void {
    const inherited = port.inherited()
    const text = JSON.stringify(inherited)
    if (text === last) return
    last = text
    sessions.publish(team, inherited).catch(onFailure)
  }

  const members = async (): Promise<readonly Member[]> =>
    (await store.roster.members()).filter(({ name, state }) => name !== lead && state !== "gone")

  /** Nobody waits for a member whose session was cancelled or cannot be opened. */
  async function dropLost(): Promise<void> {
    for (const { name, sessionId } of await members()) {
      const why = await sessions.lost(sessionId)
      if (why === undefined) continue
      const text = `${name} has left the team. ${why}`
      const letter = { from: name, to: lead, type: "message", text, summary: `${name} has left` } as const
      await store.mail.send({ ...letter, key: `left ${sessionId}` })
      await store.roster.leave(name, `${name} did not finish it. ${why}`, "stopped")
    }
  }

  async function attendAll(): Promise<void> {
    isAttending = true
    try {
      while (isStirred) {
        isStirred = false
        await dropLost()
      }
    } finally {
      isAttending = false
    }
  }

  const openingOf = ({ name, mailTo, plans }: StartMember, session: JsonObject): JsonObject => {
    const inherited = objectIn(JSON.stringify(port.inherited())) ?? {}
    return { team, name, mailTo, plans, costUsd: 0, inherited, session }
  }

  /** The worker that opens it knows where its clone is. */
  async function startInClone(ask: StartMember, clones: MemberClones): Promise<Result<HostedMember, string>> {
    const { id, name, prompt } = ask
    const branch = clones.branchOf({ id, team, name })
    const opening = openingOf(ask, port.openingFor(spawnAsk(ask), undefined))
    const started = await sessions.start({ id, team, name, prompt, cwd, branch, opening })
    return started.ok ? ok({ fact: factOf(ask), branch, entered: "session" }) : started
  }

  async function startInFolder(ask: StartMember): Promise<Result<HostedMember, string>> {
    const place = await port.placeFor(spawnAsk(ask))
    if (!place.ok) return place
    const { worktree } = place.value
    const { id, name, prompt } = ask
    const opening = openingOf(ask, port.openingFor(spawnAsk(ask), worktree))
    const started = await sessions.start({ id, team, name, prompt, cwd: worktree?.path ?? cwd, opening })
    if (started.ok) return ok({ fact: { ...factOf(ask), ...optional("worktree", worktree) }, entered: "session" })
    await place.value.finish()
    return failed(started.failure)
  }

  /** Its branch stays, with all that it committed. */
  async function stop({ name, sessionId }: Member): Promise<void> {
    const brought = await sessions.clones?.bring(sessionId)
    if (brought && !brought.ok) {
      const text = `What ${name} committed last could not be brought here: ${brought.failure}.`
      record({ kind: "notice", level: "warning", text })
    }
    await sessions.stop(sessionId)
  }

  publish()
  return {
    publish,
    isIndependent: sessions.has,
    clones: sessions.clones,
    async start(ask) {
      const { clones } = sessions
      if (!clones) return startInFolder(ask)
      // No other machine has the folder of the lead's clone.
      return ask.isolation === "worktree" ? startInClone(ask, clones) : parts.here.start(ask)
    },
    resume: parts.here.resume,
    refresh: async () => {},
    attend() {
      isStirred = true
      if (!isAttending) attendAll().catch(onFailure)
    },
    async end() {
      for (const member of await members()) await stop(member)
    },
    close: () => {},
  }
}

const factOf = ({ id, definition, callId, description }: StartMember): HostedMember["fact"] => ({
  agentId: id,
  agentType: definition.agentType,
  callId,
  description,
  state: "background",
})

const spawnAsk = ({ id, definition, model, isolation, signal }: StartMember) =>
  ({ agentId: id, callId: "", definition, model, isolation, signal, log: "new" }) as const
