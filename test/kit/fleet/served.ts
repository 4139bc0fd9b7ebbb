/** `codewright serve` as a process, as any user, and what people of every role ask of it. */

import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import type { Somebody } from "../confine.ts"
import { openUsualServer } from "../database/engines.ts"
import { lessCompiling, program } from "../run-codewright.ts"
import { valueOf } from "../team/conformance.ts"
import { temporaryFolder } from "../tmp.ts"
import { pauseAfter } from "../until.ts"

export interface Served extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Of whoever started it. */
  readonly token: string
  readonly home: string
  readonly state: string
  readonly work: string
  readonly simulator: Simulator
  readonly stderr: () => string
  readonly ask: (token: string, method: string, path: string, body?: object) => Promise<JsonObject>
  /** A token of this role. */
  readonly invite: (role: "operator" | "viewer" | "admin") => Promise<string>
  /** Begins a session and allows all that it asks for, until it is over. */
  readonly run: (token: string, prompt: string, more?: object) => Promise<JsonObject>
  readonly end: (signal: NodeJS.Signals) => Promise<number>
}

export async function openServed(
  scenario: ScenarioFunction,
  options: {
    readonly as?: Somebody
    readonly env?: { readonly [name: string]: string }
    readonly settings?: JsonObject
    readonly flags?: (home: string) => readonly string[]
    /** `any`: not the one in its state folder, if there is a cheaper one. */
    readonly database?: "any" | { readonly url: string }
    readonly prepare?: (place: { readonly home: string; readonly work: string; readonly state: string }) => void
  } = {},
): Promise<Served> {
  // Not in /tmp, of which confined commands have one of their own: they would find nothing there anyway.
  const folder = temporaryFolder(process.getuid?.() === 0 ? "/opt" : homedir())
  const [home, work] = [folder.join("home"), folder.join("work")]
  const state = join(home, ".codewright")
  const { become = [], owner } = options.as ?? {}
  chmodSync(folder.path, 0o755)
  for (const each of [home, work, state]) {
    mkdirSync(each, { mode: 0o700 })
    if (owner !== undefined) chownSync(each, owner, owner)
  }
  writeFileSync(join(state, "settings.json"), JSON.stringify(options.settings ?? {}), { mode: 0o644 })
  options.prepare?.({ home, work, state })
  const simulator = valueOf(await openSimulator({ scenario }))
  const postgres = options.database === "any" ? await openUsualServer() : undefined
  const url = typeof options.database === "object" ? options.database.url : postgres?.url
  const env = {
    HOME: home,
    PATH: "/usr/bin:/bin",
    USER: "ann",
    ANTHROPIC_BASE_URL: simulator.url,
    ANTHROPIC_API_KEY: "any",
    ...lessCompiling,
    ...options.env,
  }
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const child = Bun.spawn(
    [
      ...become,
      "/usr/bin/env",
      "-i",
      ...variables,
      program,
      "serve",
      "--port",
      "0",
      "--json",
      ...(url === undefined ? [] : ["--database", url]),
      ...(options.flags?.(home) ?? []),
    ],
    { cwd: work, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  )
  let errors = ""
  void (async () => {
    for await (const piece of child.stderr) errors += new TextDecoder().decode(piece)
  })()
  const { value } = await child.stdout.getReader().read()
  if (!value) throw new Error(`The server did not start: ${errors}`)
  const ready = JSON.parse(new TextDecoder().decode(value)) as { url: string; token: string; pid: number }
  const { token, pid } = ready
  const ask: Served["ask"] = async (as, method, path, body) => {
    const response = await fetch(`${ready.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${as}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, ...(text === "" ? {} : (JSON.parse(text) as JsonObject)) }
  }
  return {
    url: ready.url,
    pid,
    token,
    home,
    state,
    work,
    simulator,
    stderr: () => errors,
    ask,
    async invite(role) {
      const made = await ask(token, "POST", "/api/tokens", { name: `one-${role}`, role })
      if (typeof made["token"] !== "string") throw new Error(JSON.stringify(made))
      return made["token"]
    },
    async run(as, prompt, more = {}) {
      const created = await ask(as, "POST", "/api/sessions", { prompt, workspace: { path: work }, ...more })
      const { id } = created
      if (typeof id !== "string") throw new Error(JSON.stringify(created))
      for (;;) {
        const start = performance.now()
        const session = await ask(as, "GET", `/api/sessions/${id}`)
        if (["completed", "failed", "cancelled"].includes(String(session["stage"]))) return session
        const { approvals = [] } = await ask(as, "GET", "/api/approvals?state=open")
        for (const each of approvals as readonly JsonObject[])
          await ask(as, "POST", `/api/sessions/${id}/approvals/${String(each["id"])}`, {
            decision: "allow",
            digest: each["digest"],
          })
        await pauseAfter(start)
      }
    },
    async end(signal) {
      child.kill(signal)
      return child.exited
    },
    async [Symbol.asyncDispose]() {
      child.kill(9)
      await child.exited
      await simulator.close()
      await postgres?.[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
