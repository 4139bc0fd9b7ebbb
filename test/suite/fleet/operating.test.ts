/** What operators do while sessions work: a backup with the database's own tools, a restore, retention, and, at night, an upgrade from an earlier version. */

import { expect, test } from "bun:test"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fleetTables } from "#fleet/database/tables.ts"
import { prune } from "#fleet/retention.ts"
import type { JsonObject } from "#lib/json.ts"
import { hasPostgres, openPostgres } from "../../kit/database/postgres-server.ts"
import { busyPrompt, busyScenario, busySettings, expectAllDone } from "../../kit/fleet/busy.ts"
import { type Fleet, openFleet, type WorkerProcess } from "../../kit/fleet/fleet.ts"
import { openServed } from "../../kit/fleet/served.ts"
import { environmentOf, program } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"
import { until } from "../../kit/until.ts"
import { isNight } from "../../kit/runs.ts"

const many = 6

async function run(...argv: readonly string[]): Promise<void> {
  const child = Bun.spawn([...argv], { stdin: "ignore", stdout: "ignore", stderr: "pipe" })
  const said = await child.stderr.text()
  expect([await child.exited, said]).toEqual([0, ""])
}

/** Allows what waits; how many that were. */
async function allow({ store }: Fleet, most = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
  const open = (await store.approvals.open()).slice(0, most)
  for (const { sessionId, id, digest } of open)
    await store.approvals.decide({ sessionId, approvalId: id, digest, allows: true, answer: {}, by: "ann" })
  return open.map(({ sessionId }) => sessionId)
}

test.skipIf(!hasPostgres)(
  "a backup under load has what was acknowledged; its sessions end, and retention erases them only then",
  async () => {
    await using fleet = await openFleet(busyScenario)
    using folder = temporaryFolder()
    const file = folder.join("codewright.dump")
    const worker = await fleet.startWorker({ slots: 3, settings: busySettings })
    const ids: string[] = []
    for (let nth = 0; nth < many; nth++) ids.push(await fleet.create({ query: busyPrompt(nth) }))
    await until(async () => (await fleet.store.approvals.open()).length >= 2)
    const decided = await allow(fleet, 2)
    await run("pg_dump", "--format=custom", `--file=${file}`, fleet.url)
    await worker.end("SIGKILL")

    await using database = await openPostgres({ empty: true })
    await run("pg_restore", "--no-owner", `--dbname=${database.url}`, file)
    await using restored = await openFleet(busyScenario, database)
    for (const id of ids) expect((await restored.store.sessions.get(id))?.query).toBeDefined()
    for (const id of decided)
      expect((await restored.store.approvals.of(id)).map(({ state }) => state)).toEqual(["allowed"])

    // The same machine as before, with the folders that sessions have there.
    const workplaces = join(fleet.place.path, "home/.local/share/codewright/fleet")
    await restored.startWorker({ slots: many, settings: busySettings, flags: ["--workplaces", workplaces] })
    let erased = 0
    while (erased < many) {
      await allow(restored)
      // A tenth of a second after their end; those that wait or work are far older.
      erased += (await prune(restored.store, { sessionDays: 1e-6 }, new AbortController().signal)).sessions
      await Bun.sleep(50)
    }
    expect(await restored.sql("select session from fleet_lines limit 1")).toEqual([])
    for (const nth of ids.keys()) {
      const acts = (await Bun.file(join(fleet.place.work, `acts-${nth}.txt`)).text()).split("\n")
      expect(acts).toEqual(expect.arrayContaining(["one", "two", "three"]))
    }
  },
  600_000,
)

test.skipIf(!hasPostgres)(
  "no secret that the server was given is in a backup, and no token",
  async () => {
    await using database = await openPostgres()
    using folder = temporaryFolder()
    const secrets = {
      key: "sk-of-the-model",
      openid: "openid-word",
      forge: "forge-word",
      hook: "hook-word",
      file: "x-word",
    }
    const places = { clientSecretFile: "~/openid", roles: { admin: ["*"] } }
    await using server = await openServed(
      ({ messages }) =>
        JSON.stringify(messages).includes("tool_result") ? says("Done.") : calls(bash("env; cat ~/*")),
      {
        database,
        env: { ANTHROPIC_API_KEY: secrets.key, ACME_FORGE: secrets.forge },
        flags: (home) => ["--secrets", join(home, "secrets.env")],
        settings: {
          server: {
            openid: { issuer: "http://127.0.0.1:1", clientId: "codewright", ...places },
            forges: [{ host: "git.example", kind: "gitea", tokenEnv: "ACME_FORGE" }],
            webhooks: [{ url: "http://127.0.0.1:1/", secretEnv: "ACME_HOOK" }],
          },
        },
        prepare({ home }) {
          writeFileSync(join(home, "openid"), secrets.openid, { mode: 0o600 })
          const lines = `ACME_HOOK=${secrets.hook}\nCODEWRIGHT_SECRET_OTHER=${secrets.file}\n`
          writeFileSync(join(home, "secrets.env"), lines, { mode: 0o600 })
        },
      },
    )
    const operator = await server.invite("operator")
    for (const token of [operator, server.token])
      expect(await server.run(token, "Look at the environment")).toMatchObject({ stage: "completed" })
    const file = folder.join("codewright.sql")
    await run("pg_dump", "--inserts", `--file=${file}`, database.url)
    const dump = await Bun.file(file).text()
    // It has what the sessions did.
    expect(dump).toContain("cat ~/*")
    const all = { ...secrets, operator, admin: server.token }
    expect(Object.entries(all).filter(([, secret]) => dump.includes(secret))).toEqual([])
  },
  300_000,
)

/** The program with so many more steps of tables, as later versions may have them. */
function laterProgram(steps: number, folder: string): string {
  const root = resolve(import.meta.dir, "../../..")
  for (const name of ["src", "bin", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const file = join(folder, "src/fleet/database/tables.ts")
  const tables = ["fleet_sessions", "fleet_workers", "fleet_approvals", "fleet_orders", "fleet_events"]
  const more = Array.from({ length: steps }, (_, nth) => {
    const columns = tables.map((table) => `alter table ${table} add column later_${nth} text;`)
    return `\`\n${columns.join("\n")}\ncreate index fleet_later_${nth} on fleet_sessions (later_${nth});\n\`,\n`
  })
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(/^ {2}\],$/m, () => `${more.join("")}  ],`),
  )
  return join(folder, "bin/codewright")
}

if (isNight)
  test.skipIf(!hasPostgres)(
    "three versions work on one database during two upgrades: all sessions end, and each act is done once",
    async () => {
      using folder = temporaryFolder()
      await using fleet = await openFleet(busyScenario)
      const { place, simulator } = fleet
      const ids: string[] = []
      const over = async (count: number): Promise<void> => {
        for (let done = -1; done < count;) {
          await allow(fleet)
          const [row] = await fleet.sql<{ done: number }>(
            "select count(*)::integer as done from fleet_sessions where stage = 'completed'",
          )
          done = row?.done ?? 0
          await Bun.sleep(50)
        }
      }
      const startLater = async (steps: number): Promise<WorkerProcess> => {
        const later = folder.join(`later-${steps}`)
        mkdirSync(later)
        const argv = [laterProgram(steps, later), "worker", "--database", fleet.url, "--slots", "2", "--json"]
        const worker = await fleet.startWorker({ argv, settings: busySettings })
        const [row] = await fleet.sql("select max(version) as version from migrations where name = 'fleet'")
        expect(row).toEqual({ version: fleetTables.steps.length + steps })
        return worker
      }
      const state = folder.join("server")
      const serve = Bun.spawn([program, "serve", "--database", fleet.url, "--slots", "0", "--port", "0", "--json"], {
        cwd: place.work,
        env: environmentOf(place, simulator.url, { CODEWRIGHT_HOME: state }),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      })
      const said = serve.stderr.text()
      const { value } = await serve.stdout.getReader().read()
      const { url, token } = JSON.parse(new TextDecoder().decode(value)) as { url: string; token: string }
      const ask = async (path: string, body?: object): Promise<JsonObject> => {
        const answer = await fetch(`${url}/api/${path}`, {
          method: body ? "POST" : "GET",
          headers: { authorization: `Bearer ${token}` },
          ...(body && { body: JSON.stringify(body) }),
        })
        const read = (await answer.json()) as JsonObject
        expect([path, read["error"]]).toEqual([path, undefined])
        return read
      }
      const create = async (count: number): Promise<void> => {
        for (let nth = 0; nth < count; nth++) {
          const wish = { prompt: busyPrompt(ids.length), workspace: { path: place.work }, model: "claude-sonnet-5" }
          ids.push(String((await ask("sessions", wish))["id"]))
        }
      }
      const [first, second] = [
        await fleet.startWorker({ slots: 2, settings: busySettings }),
        await fleet.startWorker({ slots: 2, settings: busySettings }),
      ]
      await create(8)
      await over(2)
      const third = await startLater(1)
      await create(6)
      await over(7)
      const fourth = await startLater(2)
      await create(6)
      await over(12)
      // One is killed, one hands over what it has; the server of the first version stays to the end.
      await first.end("SIGKILL")
      expect(await second.end("SIGTERM")).toBe(143)
      await create(4)
      await over(ids.length)
      await expectAllDone(fleet.store, place, ids)
      for (const id of ids) expect((await ask(`sessions/${id}`))["stage"]).toBe("completed")
      serve.kill("SIGTERM")
      expect([await serve.exited, await said]).toEqual([143, ""])
      for (const { stderr } of [first, second, third, fourth]) expect(stderr()).toBe("")
    },
    900_000,
  )
