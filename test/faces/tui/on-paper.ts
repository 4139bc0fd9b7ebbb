/** The terminal face over a virtual terminal, with a session whose events the test makes up and a clock it owns. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Question } from "#agent/words/question.ts"
import { runTui } from "#faces/tui/run.ts"
import type { TerminalListener } from "#faces/tui/terminal.ts"
import type { Clock } from "#lib/clock.ts"
import { ok } from "#lib/result.ts"
import { openFeed } from "#session/feed.ts"
import type { Session } from "#session/session.ts"
import { foldState, type SessionState } from "#session/state.ts"
import { openVirtualTerminal, type VirtualTerminal } from "../../kit/virtual-terminal.ts"

export interface OnPaper {
  readonly terminal: VirtualTerminal
  readonly entry: (body: EntryBody) => void
  readonly moment: (moment: Moment) => void
  readonly ask: (question: Question) => void
  readonly type: (keys: string) => Promise<void>
  /** Lets time pass, and everything that was due happen. */
  readonly pass: (ms: number) => Promise<void>
  readonly resize: (columns: number, rows: number) => Promise<void>
  readonly ops: readonly Op[]
  readonly timers: () => number
}

const beginning: SessionState = {
  mode: "default",
  model: "claude-sonnet-5",
  cwd: "/home/ada/project",
  costUsd: 0,
  spending: {},
  contextTokens: 0,
  turns: 0,
  lastEnd: undefined,
}

export async function openOnPaper(columns: number, rows = 40): Promise<OnPaper> {
  const terminal = openVirtualTerminal(columns, rows)
  const feed = openFeed()
  const ops: Op[] = []
  let questions: Question[] = []
  let state = beginning
  let now = 1_000_000
  let timers: { readonly at: number; readonly callback: () => void }[] = []
  let listener: TerminalListener | undefined

  const clock: Clock = {
    now: () => now,
    sleep: () => Promise.resolve(),
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
  const entry = (body: EntryBody): void => {
    const stamped = { uuid: "u", parentUuid: null, at: now, ...body }
    state = foldState(state, stamped)
    feed.publishEntry(stamped)
  }
  const session: Session = {
    id: "00000000-0000-4000-8000-000000000000",
    about: { cwd: beginning.cwd, tools: [], logPath: undefined, addedFolders: [], entriesBefore: 0, notes: [] },
    submit(op) {
      ops.push(op)
      if (op.type === "set_mode") entry({ kind: "mode", mode: op.mode })
      if (op.type === "answer") {
        questions = questions.filter(({ id }) => id !== op.questionId)
        entry({ kind: "answer", questionId: op.questionId, answer: op.answer })
        feed.publish({ type: "question_close", questionId: op.questionId })
      }
      return ok(undefined)
    },
    events: (after) => feed.after(after),
    state: () => state,
    openQuestions: () => questions,
    settled: () => Promise.resolve(),
    close: () => Promise.resolve(feed.close()),
  }
  runTui({
    session,
    prompt: undefined,
    colours: "of the terminal",
    clock,
    factsOf: (id) => ({ id, window: 200_000, maxOutput: 8000 }),
    branch: () => "main",
    findFiles: async (words) => ["src/app.ts", "src/parse.ts", "README.md"].filter((path) => path.includes(words)),
    terminal: {
      write: terminal.write,
      setTitle: () => {},
      ring: () => {},
      isBusy: () => false,
      size: () => ({ columns: terminal.columns(), rows: terminal.rows() }),
      open: (given) => void (listener = given),
      close: () => {},
      suspend: () => {},
    },
  })

  // The feed hands an event on in a few ticks.
  const tick = async (): Promise<void> => {
    await Bun.sleep(0)
  }
  const pass = async (ms: number): Promise<void> => {
    await tick()
    const until = now + ms
    for (;;) {
      const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      timers = timers.filter((other) => other !== next)
      now = Math.max(now, next.at)
      next.callback()
      await tick()
    }
    now = until
  }

  return {
    terminal,
    entry,
    ops,
    pass,
    moment: feed.publish,
    timers: () => timers.length,
    ask(question) {
      questions.push(question)
      entry({ kind: "question", question })
      feed.publish({ type: "question_open", question })
    },
    async type(keys) {
      listener?.onInput(keys)
      await tick()
    },
    async resize(newColumns, newRows) {
      await terminal.screen()
      terminal.resize(newColumns, newRows)
      listener?.onResize()
      await tick()
    },
  }
}
