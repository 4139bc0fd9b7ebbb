/** The terminal face over a virtual terminal, with a session whose events the test makes up and a clock it owns. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Question } from "#agent/words/question.ts"
import { runTui } from "#faces/tui/run.ts"
import type { Tui, TuiRun } from "#faces/tui/tui-run.ts"
import { ok } from "#lib/result.ts"
import { openFeed } from "#session/feed.ts"
import type { Look } from "#session/look.ts"
import type { Session } from "#session/session.ts"
import { openSlash } from "#session/slash/answer.ts"
import { foldState, type SessionState } from "#session/state.ts"
import type { VirtualTerminal } from "../../kit/virtual-terminal.ts"
import { openPaperClock } from "./paper-clock.ts"
import { openPaperTerminal } from "./paper-terminal.ts"
import { noLook } from "../../kit/no-look.ts"

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
  /** What the terminal was told besides the frames. */
  readonly signals: readonly string[]
  readonly titles: readonly string[]
  readonly isOpen: () => boolean
  readonly ended: Tui["ended"]
  readonly now: () => number
}

/** What commands come to where there is nothing but what happens. */
const slashParts = {
  rows: () => [],
  todos: () => [],
  rules: () => [],
  styles: { list: () => [], chosen: () => ({ name: "default", description: "", text: "", keepsCoding: true }) },
  choices: undefined,
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

export interface PaperOptions extends Partial<
  Pick<
    TuiRun,
    | "theme"
    | "notifications"
    | "panels"
    | "background"
    | "history"
    | "pictures"
    | "editor"
    | "keymap"
    | "editorMode"
    | "commands"
    | "notes"
    | "findFiles"
    | "factsOf"
  >
> {
  readonly branch?: string
  /** What there is to be seen of the session. */
  readonly look?: Partial<Look>
}

export async function openOnPaper(
  columns: number,
  rows = 40,
  { branch = "main", look, ...options }: PaperOptions = {},
): Promise<OnPaper> {
  const paper = openPaperTerminal(columns, rows)
  const feed = openFeed()
  const ops: Op[] = []
  let questions: Question[] = []
  let state = beginning
  const { clock, now, timers, pass } = openPaperClock()

  const entry = (body: EntryBody): void => {
    const stamped = { uuid: "u", parentUuid: null, at: now(), ...body }
    state = foldState(state, stamped)
    feed.publishEntry(stamped)
  }
  const seen = { ...noLook, ...look }
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
    look: { ...seen, command: openSlash({ ...slashParts, look: seen, state: () => state, clock }), ...look },
    settled: () => Promise.resolve(),
    close: () => Promise.resolve(feed.close()),
  }
  const tui = runTui({
    session,
    prompt: undefined,
    theme: "ansi",
    notifications: "desktop",
    panels: {},
    clock,
    factsOf: (id) => ({ id, provider: "anthropic", window: 200_000, maxOutput: 8000 }),
    branch: () => branch,
    findFiles: async (words) => ["src/app.ts", "src/parse.ts", "README.md"].filter((path) => path.includes(words)),
    ...options,
    terminal: paper.terminal,
  })

  return {
    terminal: paper.virtual,
    signals: paper.signals,
    titles: paper.titles,
    isOpen: paper.isOpen,
    type: paper.type,
    resize: paper.resize,
    ended: tui.ended,
    entry,
    ops,
    pass,
    moment: feed.publish,
    timers,
    now,
    ask(question) {
      questions.push(question)
      entry({ kind: "question", question })
      feed.publish({ type: "question_open", question })
    },
  }
}
