/** Sessions in a repository that continue on another machine: another home and state folder, and nothing left of the first. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { openTurns } from "../../kit/turns.ts"
import { until } from "../../kit/until.ts"

async function sh(command: string, cwd: string): Promise<string> {
  const { stdout, exited } = Bun.spawn(["bash", "-ec", command], { cwd, stdout: "pipe", stderr: "inherit" })
  const [text, code] = await Promise.all([stdout.text(), exited])
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  return text
}

/** One command after the other; what begins with `touch` waits for a person. */
const doing =
  (...commands: readonly string[]): ScenarioFunction =>
  ({ messages }) => {
    const command = commands[JSON.stringify(messages).split('"tool_result"').length - 1]
    return command === undefined ? { content: "Done." } : { content: [{ tool: "Bash", input: { command } }] }
  }

const permissions = { allow: ["Bash"], ask: ["Bash(touch:*)"] }

async function makeSource(fleet: Fleet): Promise<string> {
  const source = join(fleet.place.path, "source")
  mkdirSync(source)
  await sh(
    "git init -qb main && echo hello > README.md && printf 'node_modules\\nown.txt\\n' > .gitignore && git add -A && git -c user.name=a -c user.email=a@b commit -qm base",
    source,
  )
  return source
}

interface Machine extends WorkerProcess {
  /** The machine is gone, with all its disks, and its leases are over. */
  readonly perish: () => Promise<void>
}

/** Another home, another state folder; the folder of sessions has the same name everywhere, and is another one too. */
async function machine(
  fleet: Fleet,
  name: string,
  server: object = {},
  sandbox: JsonObject = { enabled: false },
): Promise<Machine> {
  const home = join(fleet.place.path, `home-${name}`)
  mkdirSync(home, { recursive: true })
  const works = join(fleet.place.path, "works")
  const settings = { permissions, server: { ...server }, sandbox }
  const worker = await fleet.startWorker({ settings, flags: ["--workplaces", works], env: { HOME: home } })
  return {
    ...worker,
    async perish() {
      await worker.end("SIGKILL")
      await fleet.store.leases.leave(worker.id)
      for (const path of [works, worker.state, home]) rmSync(path, { recursive: true, force: true })
    },
  }
}

const parks = (fleet: Fleet, id: string) =>
  fleet.until(id, ({ stage }) => stage === "awaiting_tool_approval" || stage === "failed")
const ends = (fleet: Fleet, id: string) => fleet.until(id, ({ stage }) => stage === "completed" || stage === "failed")
const treeOf = (fleet: Fleet, id: string): string => join(fleet.place.path, "works", id, "tree")
const linesOf = async (fleet: Fleet, id: string): Promise<string> =>
  (await fleet.store.lines.after(id, 0, 1000)).join("\n")

async function answerTo(fleet: Fleet, id: string, op: string) {
  for (;;) {
    const kept = await fleet.store.ops.get(id, op)
    if (kept?.answer) return kept.answer
    await Bun.sleep(30)
  }
}

/** By day whoever is confined; the other stories are outside. */
const whose = openTurns()([
  ["an operator, confined", {}, { confined: true }],
  ["an admin, outside the sandbox", { enabled: false }, {}],
] as const)

test.skipIf(!hasPostgres).each(whose)(
  "another home and state folder, %s: all of it is there, what is not is said, and files can be rewound to before the move",
  async (_whose, sandbox, confined) => {
    const made =
      "echo changed > README.md; echo S=1 > own.txt; chmod 600 own.txt; mkdir node_modules empty; echo x > node_modules/x; echo staged > s; git add s; echo more >> s"
    await using fleet = await openFleet(doing(made, "seq 1 30000", "touch asked", "git status --short"))
    const source = await makeSource(fleet)
    const first = await machine(fleet, "a", {}, sandbox)
    const id = await fleet.create({ opening: { workspace: { git: { url: `file://${source}` } }, ...confined } })
    await parks(fleet, id)
    const tree = treeOf(fleet, id)
    const look =
      "find . -path ./.git -prune -o -path ./node_modules -prune -o -printf '%p %y %m\\n' | sort; git status --short; git diff --cached"
    const before = await sh(look, tree)
    const [saved = ""] = /[^"\s]+\/session\/(?:tool-)?results\/[\w-]+\.txt/.exec(await linesOf(fleet, id)) ?? []
    const output = readFileSync(saved, "utf8")
    await first.perish()

    await fleet.decide(id, true)
    await machine(fleet, "b", {}, sandbox)
    expect(await ends(fleet, id)).toMatchObject({ stage: "completed", result: { text: "Done." } })
    expect(readFileSync(saved, "utf8")).toBe(output)
    rmSync(join(tree, "asked"))
    expect(await sh(look, tree)).toBe(before)
    expect(readFileSync(join(tree, "own.txt"), "utf8")).toBe("S=1\n")
    const lines = await linesOf(fleet, id)
    expect(lines).toContain("Left behind: node_modules/. Install or build again what is needed.")
    expect(JSON.stringify(fleet.simulator.requests.at(-1)?.body)).toContain("Left behind: node_modules/")

    const rewind = { type: "rewind", promptId: id, what: "both" } as const
    await fleet.store.ops.add(id, "back", rewind, "ann")
    expect(await answerTo(fleet, id, "back")).toMatchObject({ ok: true })
    expect(readFileSync(join(tree, "README.md"), "utf8")).toBe("hello\n")
    expect(["own.txt", "s"].map((name) => existsSync(join(tree, name)))).toEqual([false, false])
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "a worker that is lost right after a change: whatever the log says was done is in the files",
  async () => {
    const thinking = Promise.withResolvers<void>()
    const answer = doing("echo once >> note", "cat note")
    await using fleet = await openFleet(async (request, context) => {
      const isAfter = JSON.stringify(request.messages).includes('"tool_result"')
      if (isAfter && context.request === 2) await thinking.promise
      return answer(request, context)
    })
    const source = await makeSource(fleet)
    const first = await machine(fleet, "a")
    const id = await fleet.create({ opening: { workspace: { git: { url: source } } } })
    await until(async () => (await linesOf(fleet, id)).includes('"tool_result"'))
    await first.perish()
    thinking.resolve()
    await machine(fleet, "b")
    expect(await ends(fleet, id)).toMatchObject({ stage: "completed" })
    expect(readFileSync(join(treeOf(fleet, id), "note"), "utf8")).toBe("once\n")
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "large files are a ref of the source; if that is refused they are in the database, and beyond that nowhere else",
  async () => {
    await using fleet = await openFleet(doing("head -c 1100000 /dev/urandom > big", "touch asked"))
    const source = await makeSource(fleet)
    const open = { opening: { workspace: { git: { url: source } } } }
    const trees = { large: "source", smallMb: 1 }
    const first = await machine(fleet, "a", { trees })
    const id = await fleet.create(open)
    await parks(fleet, id)
    expect(await sh("git for-each-ref --format='%(refname)' refs/codewright", source)).toBe(`refs/codewright/${id}\n`)
    expect((await fleet.store.trees.get(id))?.files).toMatchObject({ place: "source", bytes: 0 })
    const before = await sh("sha256sum big", treeOf(fleet, id))
    await first.perish()
    await fleet.decide(id, true)
    const second = await machine(fleet, "b", { trees })
    await ends(fleet, id)
    expect(await sh("sha256sum big", treeOf(fleet, id))).toBe(before)

    const hook = join(source, ".git", "hooks", "pre-receive")
    writeFileSync(hook, "#!/bin/sh\necho no refs of others >&2\nexit 1\n")
    chmodSync(hook, 0o755)
    const refused = await fleet.create(open)
    await parks(fleet, refused)
    expect((await fleet.store.trees.get(refused))?.files).toMatchObject({ place: "database" })
    expect(second.stderr()).toContain("no refs of others")
    await second.end("SIGTERM")

    const third = await machine(fleet, "c", { trees: { mostMb: 1 } })
    const tooLarge = await fleet.create(open)
    await parks(fleet, tooLarge)
    expect((await fleet.store.trees.get(tooLarge))?.behind).toContain("at most 1 MB are kept")
    await third.end("SIGTERM")
    await fleet.decide(tooLarge, true)
    rmSync(join(fleet.place.path, "works", tooLarge, "fence"))
    await machine(fleet, "d", { trees: { mostMb: 1 } })
    const { stage, result } = await ends(fleet, tooLarge)
    expect(stage).toBe("failed")
    expect(result?.text).toContain("The newest files of this session are not kept in the database: they are 2 MB")
    expect(existsSync(join(treeOf(fleet, tooLarge), "big"))).toBe(true)
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "a source that is gone is said, and nothing is lost",
  async () => {
    await using fleet = await openFleet(doing("echo one > one", "touch asked", "echo two > two", "touch again"))
    const source = await makeSource(fleet)
    const first = await machine(fleet, "a")
    const id = await fleet.create({ opening: { workspace: { git: { url: source } } } })
    await parks(fleet, id)
    rmSync(source, { recursive: true })
    await fleet.decide(id, true)
    const [approval] = await fleet.store.approvals.of(id)
    for (;;) {
      const open = (await fleet.store.approvals.of(id)).find(({ state }) => state === "open")
      if (open && open.id !== approval?.id) break
      await Bun.sleep(30)
    }
    expect(await linesOf(fleet, id)).toContain(`The repository ${source} cannot be fetched`)
    const before = await sh("git log --format=%H; cat one two", treeOf(fleet, id))
    await first.perish()
    await fleet.decide(id, true)
    await machine(fleet, "b")
    expect(await ends(fleet, id)).toMatchObject({ stage: "completed" })
    expect(await sh("git log --format=%H; cat one two", treeOf(fleet, id))).toBe(before)
  },
  Infinity,
)

test.skipIf(!hasPostgres)(
  "a session waits for a worker whose folders are where its own are",
  async () => {
    await using fleet = await openFleet(doing("echo one > one", "touch asked"))
    const source = await makeSource(fleet)
    const first = await machine(fleet, "a")
    const id = await fleet.create({ opening: { workspace: { git: { url: source } } } })
    await parks(fleet, id)
    await first.end("SIGTERM")
    await fleet.decide(id, true)
    const other = await fleet.startWorker({ settings: { permissions }, env: { HOME: join(fleet.place.path, "other") } })
    const its = await fleet.create({ opening: { workspace: { git: { url: source } } } })
    await parks(fleet, its)
    expect((await fleet.store.sessions.get(id))?.worker).toBeUndefined()
    await other.end("SIGTERM")
    await machine(fleet, "b")
    expect(await ends(fleet, id)).toMatchObject({ stage: "completed" })
    expect(existsSync(join(fleet.place.path, "other/.local/share/codewright/fleet", its, "tree", "one"))).toBe(true)
  },
  Infinity,
)
