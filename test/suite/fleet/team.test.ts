/** A session that leads a team: the team is where the session is, so it continues on any machine. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import type { FleetSession } from "#fleet/records.ts"
import { type Fleet, openFleet } from "../../kit/fleet/fleet.ts"
import { teamStory } from "../../kit/fleet/team-story.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { until } from "../../kit/until.ts"

const settings = { permissions: { allow: ["Bash"], ask: ["Bash(touch:*)"] } }

test.skipIf(!hasPostgres)(
  "set aside while a member waits for a person; another worker, with another state folder, finishes the graph, each task once",
  async () => {
    const tasks = ["", "touch asked && ", ""]
    await using fleet = await openFleet(teamStory({ tasks, isChain: true, members: ["ann", "bob"] }))
    const { store, place } = fleet
    const first = await fleet.startWorker({ settings })
    const id = await fleet.create()
    await fleet.until(id, ({ stage, worker }) => stage === "awaiting_tool_approval" && worker === undefined)
    const [asked] = await store.approvals.of(id)
    expect(asked).toMatchObject({ kind: "tool", state: "open", action: { tool: "Bash" } })
    const before = await store.teams.of(id)
    expect(before?.tasks.map(({ status }) => status)).toEqual(["completed", "in_progress", "pending"])
    // The worker that had it lives on, with other sessions perhaps: nobody ends it for having been the lead's process.
    process.kill(first.pid, "SIGSTOP")
    const second = await fleet.startWorker({ settings })
    await fleet.decide(id, true)
    const over = await fleet.until(
      id,
      ({ stage, worker }) => ["completed", "failed"].includes(stage) && worker === undefined,
    )
    expect(over).toMatchObject({ stage: "completed", result: { ok: true, text: "Heard." } })
    expect(await place.read("done.txt")).toBe("1\n2\n3\n")
    const after = await store.teams.of(id)
    expect(after?.name).toBe("crew")
    expect(after?.tasks.map(({ status, attempts, owner }) => [status, attempts, owner])).toEqual([
      ["completed", 0, before?.tasks[0]?.owner],
      ["completed", 0, before?.tasks[1]?.owner],
      ["completed", 0, expect.any(String)],
    ])
    expect(after?.members.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      "ann idle",
      "bob idle",
      "lead idle",
    ])
    expect(after?.mail.filter(({ deliveredAt }) => deliveredAt === undefined)).toEqual([])
    for (const { state } of [first, second]) expect(existsSync(`${state}/teams`)).toBe(false)
    process.kill(first.pid, "SIGCONT")
    expect(await first.end("SIGTERM")).toBe(143)
    expect(second.stderr()).toBe("")
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "members on another worker, which is killed: the graph is finished, each task once, and what a member asks is asked by its own session",
  async () => {
    const tasks = ["", "touch asked && ", ": > begun; while [ ! -e on ]; do sleep 0.05; done; ", "", "", ""]
    const meanwhile = "while [ ! -e go ]; do sleep 0.05; done"
    const remote = { ...settings, teammateMode: "fleet" }
    await using fleet = await openFleet(teamStory({ tasks, isChain: false, members: ["ann", "bob"], meanwhile }))
    const { store, place } = fleet
    const first = await fleet.startWorker({ settings: remote, slots: 1 })
    const id = await fleet.create()
    await until(async () => (await membersOf(fleet, id)).length === 2)
    const second = await fleet.startWorker({ settings: remote })
    await until(() => existsSync(`${place.work}/begun`))
    const asked = await until(async () => (await store.approvals.open())[0])
    const sessions = await membersOf(fleet, id)
    const [asking, working] = [true, false].map((is) => sessions.find((each) => (each.id === asked.sessionId) === is))
    expect(asking).toMatchObject({ lead: id, stage: "awaiting_tool_approval", createdBy: "ann" })
    expect(asked.details?.agent?.name).toMatch(/^(ann|bob)$/)
    expect(working?.worker?.id).toBe(second.id)
    expect((await store.sessions.get(id))?.worker?.id).toBe(first.id)

    await second.end("SIGKILL")
    await Bun.write(`${place.work}/on`, "")
    await fleet.decide(asked.sessionId, true)
    const third = await fleet.startWorker({ settings: remote, state: second.state })
    await until(async () => (await store.teams.of(id))?.tasks.every(({ status }) => status === "completed"))
    await Bun.write(`${place.work}/go`, "")
    await fleet.until(id, ({ stage, worker }) => stage === "completed" && worker === undefined)
    expect((await place.read("done.txt"))?.trim().split("\n").toSorted()).toEqual(["1", "2", "3", "4", "5", "6"])
    const after = await until(async () => {
      const look = await store.teams.of(id)
      return look?.mail.every(({ deliveredAt }) => deliveredAt !== undefined) && look
    })
    expect(after.tasks.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0, 0, 0])
    expect((await store.teams.of(working?.id ?? ""))?.members.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      [id, ...sessions.map((each) => each.id)].toSorted(),
    )
    await until(async () => (await membersOf(fleet, id)).every(({ stage, worker }) => stage === "completed" && !worker))
    expect([first.stderr(), third.stderr()]).toEqual(["", ""])
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "a member may do no more than its lead, whatever the settings of its worker allow; one that is cancelled gives its task back, and the lead hears of it",
  async () => {
    await using fleet = await openFleet(teamStory({ tasks: [""], isChain: false, members: ["ann"] }))
    const { store } = fleet
    const strict = { teammateMode: "fleet", permissions: { deny: ["Read(//etc/passwd)"] } }
    const first = await fleet.startWorker({ settings: strict, slots: 1 })
    const id = await fleet.create()
    await until(async () => (await membersOf(fleet, id)).length === 1)
    await first.end("SIGKILL")
    const generous = { teammateMode: "fleet", permissions: { allow: ["Bash"], defaultMode: "acceptEdits" } }
    await fleet.startWorker({ settings: generous })
    const asked = await until(async () => (await store.approvals.open())[0])
    const [member] = await membersOf(fleet, id)
    expect(asked).toMatchObject({ sessionId: member?.id, action: { tool: "Bash" } })
    expect((await store.teams.of(id))?.tasks).toMatchObject([{ status: "in_progress", owner: "ann" }])

    valueOf(await store.sessions.cancel(asked.sessionId, "ann"))
    await fleet.startWorker({ settings: strict, state: first.state })
    const after = await until(async () => {
      const look = await store.teams.of(id)
      return look?.members.some(({ name, state }) => name === "ann" && state === "gone") && look
    })
    expect(after.tasks).toMatchObject([
      { status: "pending", attempts: 0, notes: [expect.stringContaining("cancelled")] },
    ])
    await until(async () =>
      (await store.teams.of(id))?.mail.find(({ summary, deliveredAt }) => summary === "ann has left" && deliveredAt),
    )
    await fleet.until(id, ({ stage, worker }) => stage === "completed" && worker === undefined)
    expect(existsSync(`${fleet.place.work}/done.txt`)).toBe(false)
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "gates of the lead hold for a member on whichever worker: what they ask is asked by its own session, and after its worker was killed too",
  async () => {
    await using fleet = await openFleet(
      teamStory({ tasks: ["git init -q . && "], isChain: false, members: ["ann"], meanwhile: "true" }),
    )
    const { store, place } = fleet
    const remote = { settings: { permissions: { allow: ["Bash"] }, teammateMode: "fleet" } }
    const first = await fleet.startWorker(remote)
    const gates = { git: true, files: true }
    const id = await fleet.create({ opening: { workspace: { path: place.work }, gates } })
    const asked = await until(async () => (await store.approvals.open())[0])
    const [member] = await membersOf(fleet, id)
    expect(asked).toMatchObject({ sessionId: member?.id, action: { tool: "Bash" }, state: "open" })
    expect(asked.explanation).toContain("git")
    expect(existsSync(`${place.work}/done.txt`)).toBe(false)
    await first.end("SIGKILL")
    await fleet.decide(asked.sessionId, true)
    await fleet.startWorker({ ...remote, state: first.state })
    const review = await until(async () => (await store.approvals.open())[0])
    expect(review).toMatchObject({ sessionId: member?.id, state: "open" })
    expect(review.id).not.toBe(asked.id)
    expect(await place.read("done.txt")).toBe("1\n")
    expect((await store.teams.of(id))?.tasks).toMatchObject([{ status: "in_progress", owner: "ann" }])
    await fleet.decide(review.sessionId, true)
    await until(async () => (await store.teams.of(id))?.tasks.every(({ status }) => status === "completed"))
    expect(await place.read("done.txt")).toBe("1\n")
  },
  Infinity,
)

async function membersOf({ store }: Fleet, lead: string): Promise<readonly FleetSession[]> {
  return (await store.sessions.list({ limit: 100 })).filter((each) => each.lead === lead)
}
