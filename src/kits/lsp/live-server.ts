/** One language server of a session: started when it is needed, restarted once, and never waited for twice when it hangs. */

import type { LanguageClient } from "#ground/lsp/client.ts"
import type { Problem } from "#ground/lsp/protocol.ts"
import type { LanguageServer } from "#ground/lsp/server-config.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, type Result } from "#lib/result.ts"

export interface LanguageServerState {
  readonly name: string
  readonly command: string
  readonly status: ServerStatus
  readonly reason?: string
}

type ServerStatus = "not started" | "starting" | "running" | "failed" | "declined" | "asks first"

export interface LiveServer {
  readonly config: LanguageServer
  readonly root: string
  readonly status: () => ServerStatus
  /** Why it failed. */
  readonly reason: () => string | undefined
  /** `ask`: the user was not asked yet. */
  readonly permission: () => "yes" | "no" | "ask"
  readonly decide: (permission: "yes" | "no") => void
  /** Starts it in the background, if it may and does not run. */
  readonly start: () => void
  readonly isRunning: () => boolean
  /** Gives it the text of a file as it is now, at once or when it runs. */
  readonly sync: (path: string, text: string) => void
  readonly forget: (path: string) => void
  readonly problems: (path: string) => readonly Problem[] | undefined
  /** Whether it has answered at all. */
  readonly hasAnswered: () => boolean
  /** Waits until it has answered for every file it was given, but not longer than this, and not at all if that was in vain before. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** The running server, started if necessary; a sentence if there is none. */
  readonly client: (signal: AbortSignal) => Promise<Result<LanguageClient, string>>
  readonly close: () => Promise<void>
}

export interface LiveServerPorts {
  readonly start: (server: LanguageServer, root: string, signal: AbortSignal) => Promise<Result<LanguageClient, string>>
  readonly warn: (text: string) => void
  readonly clock: Clock
  readonly permission: () => "yes" | "no" | "ask"
}

const mostRestarts = 1

export function openLiveServer(config: LanguageServer, root: string, ports: LiveServerPorts): LiveServer {
  const closing = new AbortController()
  const texts = new Map<string, string>()
  let decided: "yes" | "no" | undefined
  let starting: Promise<Result<LanguageClient, string>> | undefined
  let running: LanguageClient | undefined
  let failure: string | undefined
  let restarts = 0
  let answers = 0
  /** How long it was waited for in vain since its last answer: it is not waited for that long again. */
  let lostMs = 0

  const permission = (): "yes" | "no" | "ask" => decided ?? ports.permission()

  function fail(why: string): void {
    failure = why
    ports.warn(
      `The language server ${config.name} (${config.command}) does not work: ${why}. It is not used in this session.`,
    )
  }

  async function begin(): Promise<Result<LanguageClient, string>> {
    const opened = await ports.start(config, root, closing.signal)
    if (closing.signal.aborted) {
      if (opened.ok) void opened.value.close()
      return failed("it was stopped")
    }
    if (!opened.ok) {
      fail(opened.failure)
      return opened
    }
    running = opened.value
    for (const [path, text] of texts) running.sync(path, text)
    void running.closed.then(ended)
    return opened
  }

  function ended(why: string): void {
    running = undefined
    starting = undefined
    if (closing.signal.aborted) return
    if (restarts >= mostRestarts) return fail(why)
    restarts++
    starting = begin()
  }

  function start(): void {
    if (failure !== undefined || closing.signal.aborted || permission() !== "yes") return
    starting ??= begin()
  }

  /** Resolves when it has answered for all that it was given so far, however long that takes. */
  async function check(): Promise<void> {
    const never = closing.signal
    for (;;) {
      const opened = await starting
      if (!opened?.ok || never.aborted) return
      await opened.value.checked(never)
      // Only a server that is still there has answered.
      if (running === opened.value) break
      if (running === undefined && failure !== undefined) return
      // Its end is known a moment before it is started again.
      await Promise.resolve()
      if (starting === undefined) return
    }
    answers++
    lostMs = 0
  }

  return {
    config,
    root,
    status() {
      if (failure !== undefined) return "failed"
      if (running) return "running"
      if (starting) return "starting"
      return ({ yes: "not started", no: "declined", ask: "asks first" } as const)[permission()]
    },
    reason: () => failure,
    permission,
    decide: (said) => void (decided = said),
    start,
    isRunning: () => running !== undefined,
    sync(path, text) {
      texts.delete(path)
      texts.set(path, text)
      for (const oldest of texts.keys()) {
        if (texts.size <= mostTexts) break
        texts.delete(oldest)
      }
      running?.sync(path, text)
    },
    forget(path) {
      texts.delete(path)
      running?.forget(path)
    },
    problems: (path) => running?.problems(path),
    hasAnswered: () => answers > 0,
    async wait(ms, signal) {
      if (starting === undefined || failure !== undefined) return
      const answered = check()
      if (ms <= lostMs) return
      const over = new AbortController()
      let isTooLong = false
      const stop = AbortSignal.any([signal, over.signal])
      await Promise.race([answered, ports.clock.sleep(ms, stop).then(() => (isTooLong = !stop.aborted))])
      over.abort()
      if (isTooLong) lostMs = ms
    },
    async client(signal) {
      if (permission() !== "yes") return failed("the user does not want it in this project")
      if (failure !== undefined) return failed(failure)
      start()
      const stopped = new Promise<Result<LanguageClient, string>>((resolve) => {
        signal.addEventListener("abort", () => resolve(failed("it was interrupted")), { once: true })
      })
      return Promise.race([starting ?? failed("it was stopped"), stopped])
    },
    async close() {
      closing.abort()
      await running?.close()
      await starting?.catch(() => {})
    },
  }
}

/** Of these the server is told again after a restart. */
const mostTexts = 50
