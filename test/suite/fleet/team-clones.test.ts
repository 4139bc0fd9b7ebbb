/** A team whose lead works in a clone: members have clones of their own, on other machines, and the lead gets what they commit. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import type { FleetSession } from "#fleet/records.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { teamStory } from "../../kit/fleet/team-story.ts"
import { until } from "../../kit/until.ts"

async function sh(command: string, cwd: string): Promise<string> {
  const { stdout, exited } = Bun.spawn(["bash", "-ec", command], { cwd, stdout: "pipe", stderr: "inherit" })
  const [text, code] = await Promise.all([stdout.text(), exited])
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  return text
}

const settings = { permissions: { allow: ["Bash", "MergeBranch"] }, teammateMode: "fleet" }

async function makeSource(fleet: Fleet): Promise<string> {
  const source = join(fleet.place.path, "source")
  mkdirSync(source)
  const author = "-c user.name=a -c user.email=a@b"
  await sh(`git init -qb main && echo hello > README.md && git add -A && git ${author} commit -qm base`, source)
  return `file://${source}`
}

interface Machine extends WorkerProcess {
  readonly works: string
  /** The machine is gone, with all its disks, and its leases are over. */
  readonly perish: () => Promise<void>
}

/** Another home, another state folder, another folder for clones. Commands wait for files of the tests unless they run in the sandbox. */
async function machine(
  fleet: Fleet,
  name: string,
  more: { readonly slots?: number; readonly works?: string; readonly sandbox?: "on" } = {},
): Promise<Machine> {
  const home = join(fleet.place.path, `home-${name}`)
  mkdirSync(home, { recursive: true })
  const { slots = 4, sandbox } = more
  // The sandbox shows nothing of a home in /tmp.
  if (!sandbox) writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = a\n\temail = a@b\n")
  const works = join(fleet.place.path, more.works ?? `works-${name}`)
  const worker = await fleet.startWorker({
    settings: { ...settings, ...(!sandbox && { sandbox: { enabled: false } }) },
    slots,
    flags: ["--workplaces", works],
    env: { HOME: home, CODEWRIGHT_TRUST: "1" },
  })
  return {
    ...worker,
    works,
    async perish() {
      await worker.end("SIGKILL")
      await fleet.store.leases.leave(worker.id)
      for (const path of [works, worker.state, home]) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** A commit for each task, once. */
const commits = (id: string): string =>
  `{ git log --format=%s | grep -qx 'task ${id}' || { echo ${id} > ${id}.txt && git add ${id}.txt && git commit -qm 'task ${id}'; }; }`

async function membersOf({ store }: Fleet, lead: string): Promise<readonly FleetSession[]> {
  return (await store.sessions.list({ limit: 100 })).filter((each) => each.lead === lead)
}

const whileNot = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.5; done`

test.skipIf(!hasPostgres)(
  "members commit in clones on another machine, which is lost; all commits are merged into the lead's branch, each once",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "team-"))
    const [begun, on, go] = [join(folder, "begun"), join(folder, "on"), join(folder, "go")]
    const story = teamStory({
      tasks: ["", "", `: > ${begun}; ${whileNot(on)}; `, ""],
      isChain: false,
      members: ["ann", "bob"],
      first: "echo led > led.txt && git add led.txt && git commit -qm led",
      meanwhile: whileNot(go),
      work: commits,
      merges: ["ann", "bob"],
    })
    await using fleet = await openFleet(story)
    const { store } = fleet
    const first = await machine(fleet, "a", { slots: 1 })
    const id = await fleet.create({ opening: { workspace: { git: { url: await makeSource(fleet) } } } })
    await until(async () => (await membersOf(fleet, id)).length === 2)
    const second = await machine(fleet, "b")
    await until(() => existsSync(begun))
    for (const { opening } of await membersOf(fleet, id))
      expect(opening).toMatchObject({
        workspace: { git: {} },
        branch: expect.stringMatching(/^codewright\/crew\/(ann|bob)-\w{8}$/),
      })
    await second.perish()
    writeFileSync(on, "")
    const third = await machine(fleet, "c", { works: "works-b" })
    await until(async () => (await store.teams.of(id))?.tasks.every(({ status }) => status === "completed"))
    writeFileSync(go, "")
    const over = await fleet.until(id, ({ stage, worker }) => stage === "completed" && worker === undefined)
    expect(over.result).toEqual({ ok: true, text: "Heard." })
    const subjects = (await sh("git log --no-merges --format=%s", treeOf(first, id))).trim().split("\n")
    expect(subjects.toSorted()).toEqual(["base", "led", ...[1, 2, 3, 4].map((nth) => `task ${nth}`)])
    expect(await sh("cat ?.txt; git status --short", treeOf(first, id))).toBe("1\n2\n3\n4\n")
    expect((await store.teams.of(id))?.tasks.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0])
    expect([first.stderr(), third.stderr()]).toEqual(["", ""])
    rmSync(folder, { recursive: true })
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "the team of an operator is confined, and its commits are merged all the same",
  async () => {
    const story = teamStory({
      tasks: ["", ""],
      isChain: false,
      members: ["ann", "bob"],
      first: "echo led > led.txt && git add led.txt && git commit -qm led",
      work: commits,
      merges: ["ann", "bob"],
    })
    await using fleet = await openFleet(story)
    const first = await machine(fleet, "a", { slots: 1, sandbox: "on" })
    const opening = { workspace: { git: { url: await makeSource(fleet) } }, confined: true }
    const id = await fleet.create({ opening })
    await until(async () => (await membersOf(fleet, id)).length === 2)
    await machine(fleet, "b", { sandbox: "on" })
    const merged = "git log --no-merges --format=%s"
    await until(async () => (await sh(merged, treeOf(first, id))).trim().split("\n").length === 4)
    await fleet.until(id, ({ stage, worker }) => stage === "completed" && worker === undefined)
    const subjects = (await sh(merged, treeOf(first, id))).trim().split("\n")
    expect(subjects.toSorted()).toEqual(["base", "led", "task 1", "task 2"])
    for (const each of [id, ...(await membersOf(fleet, id)).map((member) => member.id)]) {
      expect((await fleet.store.sessions.get(each))?.opening.confined).toBe(true)
      const ran = (await fleet.store.lines.after(each, 0, 1000)).filter((line) => line.includes('"noOutputExpected"'))
      expect(ran.length).toBeGreaterThan(0)
      for (const line of ran) expect(line).toContain('"sandbox":{"by":"bubblewrap"')
    }
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "the lead is told when what a member committed cannot be brought, and does not merge an older state",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "team-"))
    const go = join(folder, "go")
    const meanwhile = whileNot(go)
    const story = teamStory({
      tasks: [""],
      isChain: false,
      members: ["ann"],
      meanwhile,
      work: commits,
      merges: ["ann"],
    })
    await using fleet = await openFleet(story)
    const { store } = fleet
    const worker = await machine(fleet, "a")
    const id = await fleet.create({ opening: { workspace: { git: { url: await makeSource(fleet) } } } })
    const [member] = await until(async () => {
      const all = await membersOf(fleet, id)
      return all.some(({ stage, worker: by }) => stage === "completed" && by === undefined) && all
    })
    await fleet.sql("delete from fleet_trees where session = $1", [member?.id ?? ""])
    writeFileSync(go, "")
    await fleet.until(id, ({ stage, worker: by }) => stage === "completed" && by === undefined)
    const lines = (await store.lines.after(id, 0, 1000)).join("\n")
    const told = "What ann has committed could not be brought here: its files are not kept."
    expect(lines.split(told).length - 1).toBe(1)
    expect(lines.includes("Not merged: its newest commits are not here: its files are not kept.")).toBe(true)
    expect(await sh("git log --format=%s", treeOf(worker, id))).toBe("base\n")
    rmSync(folder, { recursive: true })
  },
  Infinity,
)

const treeOf = ({ works }: Machine, id: string): string => join(works, id, "tree")
