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

/** `ask`: the user was not asked yet. */
export type ServerPermission = "yes" | "no" | "ask"

export interface LiveServer {
  readonly config: LanguageServer
  readonly root: string
  readonly status: () => ServerStatus
  /** Why it failed. */
  readonly reason: () => string | undefined
  readonly permission: () => ServerPermission
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
  /**
   * Waits until it has answered for every file it was given, but not longer than this, and not at all if that was in
   * vain before. `onLate` is called if it answers afterwards.
   */
  readonly wait: (ms: number, signal: AbortSignal, onLate?: () => void) => Promise<void>
  /** The running server, started if necessary; a sentence if there is none. */
  readonly client: (signal: AbortSignal) => Promise<Result<LanguageClient, string>>
  readonly close: () => Promise<void>
}

export interface LiveServerPorts {
  readonly start: (server: LanguageServer, root: string, signal: AbortSignal) => Promise<Result<LanguageClient, string>>
  readonly warn: (text: string) => void
  readonly clock: Clock
  readonly permission: () => ServerPermission
}

const mostRestarts = 1

export function openLiveServer(config: LanguageServer, root: string, ports: LiveServerPorts): LiveServer {
  const texts = openTexts()
  const run = openRun(config, { ...ports, start: (signal) => ports.start(config, root, signal) }, texts.all)
  let decided: "yes" | "no" | undefined
  let answers = 0
  /** How long it was waited for in vain since its last answer: it is not waited for that long again. */
  let lostMs = 0

  const permission = (): ServerPermission => decided ?? ports.permission()
  const start = (): void => {
    if (permission() === "yes") run.start()
  }

  return {
    config,
    root,
    status: () => run.status() ?? ({ yes: "not started", no: "declined", ask: "asks first" } as const)[permission()],
    reason: run.failure,
    permission,
    decide: (said) => void (decided = said),
    start,
    isRunning: () => run.now() !== undefined,
    sync(path, text) {
      texts.put(path, text)
      run.now()?.sync(path, text)
    },
    forget(path) {
      texts.remove(path)
      run.now()?.forget(path)
    },
    problems: (path) => run.now()?.problems(path),
    hasAnswered: () => answers > 0,
    async wait(ms, signal, onLate) {
      if (run.status() === undefined || run.failure() !== undefined) return
      let isLate = ms <= lostMs
      const answered = run.answered().then((has) => {
        if (!has) return
        answers++
        lostMs = 0
        if (isLate) onLate?.()
      })
      if (ms <= lostMs) return
      const over = new AbortController()
      let isTooLong = false
      const stop = AbortSignal.any([signal, over.signal])
      await Promise.race([answered, ports.clock.sleep(ms, stop).then(() => (isTooLong = !stop.aborted))])
      over.abort()
      isLate = isTooLong
      if (isTooLong) lostMs = ms
    },
    async client(signal) {
      if (permission() !== "yes") return failed("the user does not want it in this project")
      start()
      const stopped = Promise.withResolvers<Result<LanguageClient, string>>()
      const stop = (): void => stopped.resolve(failed("it was interrupted"))
      signal.addEventListener("abort", stop, { once: true })
      const found = await Promise.race([run.client(), stopped.promise])
      signal.removeEventListener("abort", stop)
      return found
    },
    close: run.close,
  }
}

interface Run {
  readonly start: () => void
  /** Undefined before it was started. */
  readonly status: () => "starting" | "running" | "failed" | undefined
  readonly failure: () => string | undefined
  readonly now: () => LanguageClient | undefined
  readonly client: () => Promise<Result<LanguageClient, string>>
  /** Resolves when it has answered for all that it was given so far, however long that takes; false if it is gone for good. */
  readonly answered: () => Promise<boolean>
  readonly close: () => Promise<void>
}

interface RunPorts extends Pick<LiveServerPorts, "warn"> {
  readonly start: (signal: AbortSignal) => Promise<Result<LanguageClient, string>>
}

/** Its process, and the one after it. */
function openRun(
  { name, command }: LanguageServer,
  { warn, start }: RunPorts,
  texts: () => Iterable<readonly [string, string]>,
): Run {
  const closing = new AbortController()
  let starting: Promise<Result<LanguageClient, string>> | undefined
  let running: LanguageClient | undefined
  let failure: string | undefined
  let restarts = 0

  function fail(why: string): void {
    failure = why
    warn(
      `The language server ${name} (${command}) does not work: ${why.replace(/[\s.]+$/, "")}. It is not used in this session.`,
    )
  }

  async function begin(): Promise<Result<LanguageClient, string>> {
    const opened = await start(closing.signal)
    if (closing.signal.aborted) {
      if (opened.ok) await opened.value.close()
      return failed("it was stopped")
    }
    if (!opened.ok) {
      fail(opened.failure)
      return opened
    }
    running = opened.value
    for (const [path, text] of texts()) running.sync(path, text)
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

  return {
    start() {
      if (failure === undefined && !closing.signal.aborted) starting ??= begin()
    },
    status: () => (failure !== undefined ? "failed" : running ? "running" : starting && "starting"),
    failure: () => failure,
    now: () => running,
    client: async () => (failure === undefined ? ((await starting) ?? failed("it was stopped")) : failed(failure)),
    async answered() {
      for (;;) {
        const opened = await starting
        if (!opened?.ok || closing.signal.aborted) return false
        await opened.value.checked(closing.signal)
        // One that ended meanwhile has answered nothing; the next is asked.
        if (running === opened.value) return true
      }
    },
    async close() {
      closing.abort()
      await running?.close()
      await starting?.catch(() => {})
    },
  }
}

/** Of these files the server is told again after a restart. */
const mostTexts = 50

function openTexts(): {
  readonly put: (path: string, text: string) => void
  readonly remove: (path: string) => void
  readonly all: () => Iterable<readonly [string, string]>
} {
  const texts = new Map<string, string>()
  return {
    put(path, text) {
      texts.delete(path)
      texts.set(path, text)
      for (const oldest of texts.keys()) {
        if (texts.size <= mostTexts) break
        texts.delete(oldest)
      }
    },
    remove: (path) => void texts.delete(path),
    all: () => texts,
  }
}
