/** A whole fleet for tests: a Postgres server, a simulated model, and workers as processes of their own. */

import { mkdirSync, writeFileSync } from "node:fs"
import type { FleetSession, NewSession } from "#fleet/records.ts"
import { openFleetStore } from "#fleet/database/open-store.ts"
import type { DecisionOutcome } from "#fleet/store/approvals.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Database } from "#lib/database.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { opened } from "../database/databases.ts"
import { openPostgres, type PostgresDatabase } from "../database/postgres-server.ts"
import { environmentOf, openPlace, type Place, program } from "../run-codewright.ts"
import { valueOf } from "../team/conformance.ts"
import { until as waitUntil } from "../until.ts"

export interface Fleet extends AsyncDisposable {
  readonly store: FleetStore
  readonly url: string
  /** Straight to the database. */
  readonly sql: Database["rows"]
  readonly simulator: Simulator
  readonly place: Place
  /** Resolves when it is ready. Each has a state folder of its own. */
  readonly startWorker: (options?: WorkerOptions) => Promise<WorkerProcess>
  readonly create: (more?: Partial<NewSession>) => Promise<string>
  /** Resolves when the session is as wanted. */
  readonly until: (id: string, fits: (session: FleetSession) => boolean) => Promise<FleetSession>
  /** Allows or denies the oldest thing that the session waits for. */
  readonly decide: (id: string, allows: boolean, answer?: object) => Promise<DecisionOutcome>
}

export interface WorkerOptions {
  readonly slots?: number
  readonly labels?: readonly string[]
  readonly flags?: readonly string[]
  readonly settings?: JsonObject
  /** That of a worker before it, on the same machine. */
  readonly state?: string
  /** What is run in place of the program; it says that it is ready in the same way. */
  readonly argv?: readonly string[]
  readonly env?: { readonly [name: string]: string }
}

export interface WorkerProcess {
  readonly id: string
  readonly pid: number
  readonly state: string
  /** What it has printed after it was ready. */
  readonly output: () => string
  readonly stderr: () => string
  readonly exited: Promise<number>
  readonly end: (signal: NodeJS.Signals) => Promise<number>
}

/** On a database of its own, unless it is given one; then whoever gives it closes it. */
export async function openFleet(scenario: Scenario, given?: PostgresDatabase): Promise<Fleet> {
  const server = given ?? (await openPostgres())
  const place = openPlace()
  const simulator = valueOf(await openSimulator({ scenario }))
  const database = await opened({ kind: "server", url: server.url })
  const store = valueOf(await openFleetStore(database))
  const processes = new Set<Bun.Subprocess>()
  let workers = 0

  async function startWorker(options: WorkerOptions = {}): Promise<WorkerProcess> {
    const { slots = 4, labels = [], env = {} } = options
    const usual = [program, "worker", "--database", server.url, "--slots", String(slots), "--json"]
    const more = [...(labels.length > 0 ? ["--labels", labels.join(",")] : []), ...(options.flags ?? [])]
    const argv = options.argv ?? [...usual, ...more]
    const state = options.state ?? `${place.path}/state-${++workers}`
    mkdirSync(state, { recursive: true })
    if (options.settings) writeFileSync(`${state}/settings.json`, JSON.stringify(options.settings))
    const child = Bun.spawn([...argv], {
      cwd: place.work,
      env: environmentOf(place, simulator.url, { CODEWRIGHT_HOME: state, ...env }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    processes.add(child)
    let errors = ""
    void (async () => {
      for await (const piece of child.stderr) errors += new TextDecoder().decode(piece)
    })()
    const lines = openLines(child.stdout)
    const line = await lines.first
    if (line === "") throw new Error(`The worker did not start: ${errors}`)
    const { worker, pid } = JSON.parse(line) as { worker: string; pid: number }
    return {
      id: worker,
      pid,
      state,
      output: lines.others,
      stderr: () => errors,
      exited: child.exited,
      async end(signal) {
        child.kill(signal)
        const code = await child.exited
        processes.delete(child)
        return code
      },
    }
  }

  async function until(id: string, fits: (session: FleetSession) => boolean): Promise<FleetSession> {
    let session: FleetSession | undefined
    return await waitUntil(
      async () => {
        session = await store.sessions.get(id)
        return session && fits(session) && session
      },
      () => session,
    )
  }

  return {
    store,
    url: server.url,
    sql: database.rows,
    simulator,
    place,
    startWorker,
    until,
    async create(more = {}) {
      const id = systemIds.uuid()
      await store.sessions.create(
        {
          id,
          title: "Test",
          query: "Begin.",
          mode: "default",
          model: "claude-sonnet-5",
          opening: { workspace: { path: place.work } },
          labels: [],
          ...more,
        },
        "ann",
      )
      return id
    },
    async decide(id, allows, answer = {}) {
      const open = (await store.approvals.of(id)).find(({ state }) => state === "open")
      if (!open) throw new Error(`${id} waits for nothing`)
      const { id: approvalId, digest } = open
      const said = { decision: allows ? "allow" : "deny", ...answer }
      return valueOf(
        await store.approvals.decide({ sessionId: id, approvalId, digest, allows, answer: said, by: "ann" }),
      )
    },
    async [Symbol.asyncDispose]() {
      for (const child of processes) child.kill(9)
      await Promise.all([...processes].map(({ exited }) => exited))
      await store.close()
      await database.close()
      await simulator.close()
      if (!given) await server[Symbol.asyncDispose]()
      place[Symbol.dispose]()
    },
  }
}

function openLines(stream: ReadableStream<Uint8Array>): {
  readonly first: Promise<string>
  readonly others: () => string
} {
  let text = ""
  const first = Promise.withResolvers<string>()
  void (async () => {
    for await (const piece of stream) {
      text += new TextDecoder().decode(piece)
      if (text.includes("\n")) first.resolve(text.split("\n", 1)[0] ?? "")
    }
    first.resolve("")
  })()
  return { first: first.promise, others: () => text.slice(text.indexOf("\n") + 1) }
}
