/** A fleet whose processes come back whenever they end, as under a supervisor, and clients that ask again until they have an answer. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { systemIds } from "#lib/ids.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { layEmbedded } from "../database/databases.ts"
import { freePort, openPostgres } from "../database/postgres-server.ts"
import { environmentOf, openPlace, type Place } from "../run-codewright.ts"
import { helper } from "../helper.ts"
import { valueOf } from "../team/conformance.ts"
import { until as waitUntil } from "../until.ts"
import { type FaultPoint, type ProcessOptions, secretFor, type TrialUser } from "./fault-points.ts"

export interface TrialFleet extends AsyncDisposable {
  readonly place: Place
  /** Asks until there is an answer other than that the server cannot answer now. */
  readonly ask: (asked: Asked) => Promise<Answer>
  readonly tryOnce: (asked: Asked) => Promise<Answer>
  readonly until: (id: string, fits: (session: ShownSession) => boolean) => Promise<ShownSession>
  /** What is said of a session, also by several servers one after the other; `untilOver` waits for the end of the session. */
  readonly follow: (id: string) => { readonly untilOver: () => Promise<readonly Told[]>; readonly stop: () => void }
  /** Those of the newest message that told of a session. */
  readonly linksTo: (id: string) => Promise<TrialLinks>
  /** To what is answered with more than yes or no: a plan, or a question. */
  readonly answerLinkTo: (id: string) => Promise<string>
  /** In a session, or when a link is used. */
  readonly arm: (id: string, point: FaultPoint) => void
  readonly killServer: () => void
  /** How often a process ended. */
  readonly deaths: () => number
  readonly stderr: () => string
}

export interface Asked {
  readonly as: TrialUser
  readonly path: string
  readonly body?: JsonObject
  readonly key?: string
  /** The client gives up its first try after so long, and asks again. */
  readonly cutMs?: number
}

export interface Answer {
  readonly status: number
  readonly body: JsonObject
  /** How many tries it took. */
  readonly tries: number
}

export interface TrialLinks {
  readonly allow: string
  readonly deny: string
}

export interface Told {
  readonly id: number
  readonly event: string
  readonly data: string
}

export interface ShownSession {
  readonly id: string
  readonly stage: string
  readonly worker: JsonObject | null
  readonly pending: readonly { readonly id: string; readonly digest: string; readonly action: Action }[]
  readonly completed: readonly { readonly approvalId: string; readonly state: string; readonly by: string }[]
  readonly result?: { readonly ok: boolean; readonly text: string }
}

interface Action {
  readonly tool: string
  readonly input: JsonObject
}

const pauseMs = 150

export async function openTrialFleet(
  engine: "embedded" | "server",
  scenario: ScenarioFunction,
  { confines = false }: Pick<ProcessOptions, "confines"> = {},
): Promise<TrialFleet> {
  const place = openPlace()
  const simulator = valueOf(await openSimulator({ scenario }))
  const postgres = engine === "server" ? await openPostgres() : undefined
  const links = new Map<string, TrialLinks>()
  const answerLinks = new Map<string, string>()
  const hook = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const told = (await request.json()) as ToldLinks
      if (told.links && "allow" in told.links) links.set(told.id, told.links)
      if (told.links && "answer" in told.links) answerLinks.set(told.id, told.links.answer)
      return new Response("thanks")
    },
  })
  const faults = join(place.path, "faults")
  mkdirSync(faults)
  const port = freePort()
  const common = { faults, confines, ...(postgres && { database: postgres.url }) }
  const serving = { ...common, port, hook: `http://127.0.0.1:${hook.port}/` }
  if (!postgres) {
    const folder = { join: (name = "") => join(place.path, "state-0", name) }
    await layEmbedded(folder)
  }
  const processes: readonly ProcessOptions[] = postgres
    ? [
        { ...serving, slots: 0 },
        { ...common, slots: 4 },
        { ...common, slots: 4 },
      ]
    : [{ ...serving, slots: 8 }]
  const program = join(import.meta.dir, "fleet-process.ts")
  const running = new Map<number, Bun.Subprocess>()
  let isOver = false
  let deaths = 0
  let errors = ""

  function start(nth: number): Promise<void> {
    const child = Bun.spawn([...helper(program), JSON.stringify(processes[nth])], {
      cwd: place.work,
      env: environmentOf(place, simulator.url, { CODEWRIGHT_HOME: join(place.path, `state-${nth}`) }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    running.set(nth, child)
    void (async () => {
      for await (const piece of child.stderr) errors += new TextDecoder().decode(piece)
    })()
    void child.exited.then(() => {
      if (isOver) return
      deaths++
      void start(nth)
    })
    return child.stdout.text().then(() => undefined)
  }
  for (const nth of processes.keys()) void start(nth)

  const url = `http://127.0.0.1:${port}/api`
  const headersOf = ({ as, key }: Pick<Asked, "as" | "key">): Record<string, string> => ({
    authorization: `Bearer ${secretFor(as)}`,
    "content-type": "application/json",
    ...(key !== undefined && { "idempotency-key": key }),
  })

  async function tryOnce(asked: Asked, tries = 1): Promise<Answer> {
    const { path, body, cutMs } = asked
    const response = await fetch(`${url}/${path}`, {
      method: body ? "POST" : "GET",
      headers: headersOf(asked),
      ...(body && { body: JSON.stringify(body) }),
      ...(cutMs !== undefined && tries === 1 && { signal: AbortSignal.timeout(cutMs) }),
    })
    return { status: response.status, body: JSON.parse(await response.text()) as JsonObject, tries }
  }

  async function ask(asked: Asked): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await tryOnce(asked, tries)
        if (answer.status !== 503) return answer
      } catch {
        // Nobody listens at the moment, or the connection was cut.
      }
      await Bun.sleep(pauseMs)
    }
  }

  async function until(id: string, fits: (session: ShownSession) => boolean): Promise<ShownSession> {
    let session: ShownSession | undefined
    return await waitUntil(
      async () => {
        const { body } = await ask({ as: "root", path: `sessions/${id}` })
        session = body as unknown as ShownSession
        return fits(session) && session
      },
      () => session,
    )
  }

  return {
    place,
    ask,
    tryOnce,
    until,
    follow: (id) => followed(`${url}/sessions/${id}/events`, headersOf({ as: "bob" })),
    linksTo: (id) => untilTold(links, id),
    answerLinkTo: (id) => untilTold(answerLinks, id),
    arm: (id, point) => writeFileSync(join(faults, id), JSON.stringify(point)),
    killServer: () => running.get(0)?.kill(9),
    deaths: () => deaths,
    stderr: () => errors,
    async [Symbol.asyncDispose]() {
      isOver = true
      for (const child of running.values()) child.kill(9)
      await Promise.all([...running.values()].map(({ exited }) => exited))
      await simulator.close()
      await hook.stop(true)
      await postgres?.[Symbol.asyncDispose]()
      place[Symbol.dispose]()
    },
  }
}

interface ToldLinks {
  readonly id: string
  readonly links?: TrialLinks | { readonly answer: string }
}

const untilTold = <T>(told: ReadonlyMap<string, T>, id: string): Promise<T> => waitUntil(() => told.get(id))

/** Each event once, however often the stream is cut. */
function followed(url: string, headers: Readonly<Record<string, string>>): ReturnType<TrialFleet["follow"]> {
  const told: Told[] = []
  const leaving = new AbortController()
  async function read(): Promise<void> {
    const last = String(told.at(-1)?.id ?? 0)
    const response = await fetch(url, { headers: { ...headers, "last-event-id": last }, signal: leaving.signal })
    let text = ""
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString("utf8")
      const parts = text.split("\n\n")
      text = parts.pop() ?? ""
      for (const part of parts) {
        const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/s.exec(part) ?? []
        if (id !== undefined) told.push({ id: Number(id), event: event ?? "", data: data ?? "" })
      }
    }
  }
  void (async () => {
    while (!leaving.signal.aborted) {
      await read().catch(() => undefined)
      await Bun.sleep(pauseMs)
    }
  })()
  const isOver = (): boolean => told.some(({ event, data }) => event === "stage" && /"(?:completed|failed)"/.test(data))
  return {
    async untilOver() {
      while (!isOver()) await Bun.sleep(pauseMs)
      leaving.abort()
      return [...told]
    },
    stop: () => leaving.abort(),
  }
}

export const newKey = (id: string): string => `${id} ${systemIds.uuid()}`
