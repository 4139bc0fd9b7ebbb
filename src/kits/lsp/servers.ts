/** The language servers of a session and its agents: found once, one for each folder that they work in. */

import { fingerprintOf } from "#ground/lsp/approvals.ts"
import { serverFor } from "#ground/lsp/find-servers.ts"
import type { LanguageServer } from "#ground/lsp/server-config.ts"
import { ownCall, type Answer, type QuestionAsk } from "#agent/words/question.ts"
import type { Result } from "#lib/result.ts"
import { type LiveServer, type LiveServerPorts, openLiveServer } from "./live-server.ts"

export interface LanguageServers {
  readonly all: readonly LanguageServer[]
  /** The server for a file in one of these folders; undefined if there is none. */
  readonly forFile: (path: string, roots: readonly string[]) => LiveServer | undefined
  readonly of: (server: LanguageServer, root: string) => LiveServer
  readonly permission: (server: LanguageServer) => "yes" | "no" | "ask"
  /** Asks the user whether it may start, once; whether it may. */
  readonly approve: (server: LiveServer, asking: ServerAsking, signal: AbortSignal) => Promise<boolean>
  /** Those that were needed so far. */
  readonly live: () => readonly LiveServer[]
  readonly close: () => Promise<void>
}

/** How whoever needs a server can ask. */
export interface ServerAsking {
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /** Whether somebody is there to answer. */
  readonly canAsk: () => boolean
}

export interface LanguageServersPorts extends Omit<LiveServerPorts, "permission"> {
  readonly servers: readonly LanguageServer[]
  /** The answer that is kept for this project. */
  readonly approved: (server: LanguageServer) => boolean | undefined
  readonly keep: (server: LanguageServer, isApproved: boolean) => Result<void, string>
  /** Whether everything runs without a question. */
  readonly bypasses: () => boolean
}

export function openLanguageServers(ports: LanguageServersPorts): LanguageServers {
  const live = new Map<string, LiveServer>()
  const asking = new Map<LanguageServer, Promise<boolean>>()

  function permission(server: LanguageServer): "yes" | "no" | "ask" {
    // What the user configured or installed needs no further question.
    if (server.source === "settings" || server.source === "plugin") return "yes"
    const said = ports.approved(server)
    if (said !== undefined) return said ? "yes" : "no"
    return ports.bypasses() ? "yes" : "ask"
  }

  function of(server: LanguageServer, root: string): LiveServer {
    const key = JSON.stringify([server.name, root])
    const known = live.get(key)
    if (known) return known
    const opened = openLiveServer(server, root, { ...ports, permission: () => permission(server) })
    live.set(key, opened)
    return opened
  }

  function decide(server: LanguageServer, said: "yes" | "no"): void {
    for (const one of live.values()) if (one.config === server) one.decide(said)
  }

  async function askAbout(server: LanguageServer, { ask }: ServerAsking, signal: AbortSignal): Promise<boolean> {
    const answer = await ask(questionAbout(server), signal)
    if (signal.aborted) return false
    const said = answer.kind === "choices" ? Object.values(answer.answers)[0] : notNow
    decide(server, said === startIt ? "yes" : "no")
    if (said !== startIt && said !== never) return false
    const kept = ports.keep(server, said === startIt)
    if (!kept.ok) ports.warn(kept.failure)
    return said === startIt
  }

  return {
    all: ports.servers,
    forFile(path, roots) {
      const server = serverFor(ports.servers, path)
      const root = server && nearest(path, roots)
      return server && root !== undefined ? of(server, root) : undefined
    },
    of,
    permission,
    async approve(server, how, signal) {
      const may = server.permission()
      if (may !== "ask" || !how.canAsk()) return may === "yes"
      // Agents that need the same server at the same time are answered together.
      const mine = asking.get(server.config) ?? askAbout(server.config, how, signal)
      asking.set(server.config, mine)
      try {
        return await mine
      } finally {
        asking.delete(server.config)
      }
    },
    live: () => [...live.values()],
    async close() {
      await Promise.all([...live.values()].map((server) => server.close()))
    },
  }
}

const nearest = (path: string, roots: readonly string[]): string | undefined =>
  roots
    .filter((root) => path.startsWith(root.endsWith("/") ? root : `${root}/`))
    .toSorted((one, other) => other.length - one.length)[0]

const startIt = "Start it"
const notNow = "Not now"
const never = "Never here"

function questionAbout(server: LanguageServer): QuestionAsk {
  const { name, command, args, env, source } = server
  const variables = Object.keys(env)
  const set = variables.length === 0 ? "" : ` with ${variables.join(", ")} set`
  const from = source === "project" ? "This project's settings name" : "Codewright found"
  return {
    kind: "choice",
    callId: ownCall("lsp-approval"),
    about: fingerprintOf(server),
    questions: [
      {
        header: "Language server",
        question: `${from} the language server ${name}: ${[command, ...args].join(" ")}${set}. It tells the model about errors after edits. It reads this project and may run code from it, such as plugins and build scripts. Start it?`,
        options: [
          { label: startIt, description: "Now, and in this project from now on." },
          { label: notNow, description: "Ask again in the next session." },
          { label: never, description: "Do not start it in this project, and do not ask again." },
        ],
        multiSelect: false,
        takes: "an option",
      },
    ],
  }
}
