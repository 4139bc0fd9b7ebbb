/** The terminal face over a virtual terminal, with a session whose events the test makes up and a clock it owns. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Question } from "#agent/words/question.ts"
import { runTui } from "#faces/tui/run.ts"
import type { Tui, TuiRun } from "#faces/tui/tui-run.ts"
import type { Answering } from "#session/adapters/answers.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { Session } from "#session/port/session.ts"
import { optional } from "#lib/optional.ts"
import { openFeed } from "#session/journal/feed.ts"
import type { SessionState } from "#agent/words/state.ts"
import { foldState } from "#session/journal/state.ts"
import { openSlash } from "#session/slash/answer.ts"
import { openPaperSession, paperAbout, paperState } from "../../kit/paper-session.ts"
import type { VirtualTerminal } from "../../kit/virtual-terminal.ts"
import { openPaperClock } from "./paper-clock.ts"
import { openPaperTerminal } from "./paper-terminal.ts"

export interface OnPaper {
  readonly terminal: VirtualTerminal
  readonly session: Session
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

/** What a panel shows may be loaded with code that is not there yet, which takes real time. */
export async function untilLoaded(paper: OnPaper): Promise<void> {
  await paper.pass(0)
  for (let tries = 0; tries < 400 && /^▌ …$/m.test(await paper.terminal.all()); tries++) {
    await Bun.sleep(5)
    await paper.pass(0)
  }
}

const beginning: SessionState = { ...paperState, model: "claude-sonnet-5", cwd: "/home/ada/project" }

/** What commands come to where there is nothing but what happens. */
const slashParts = {
  place: { cwd: beginning.cwd, home: "/home/ada" },
  todos: () => [],
  rules: () => [],
  styles: { list: () => [], chosen: () => ({ name: "default", description: "", text: "", keepsCoding: true }) },
  choices: undefined,
  program: undefined,
  kept: undefined,
}

export interface PaperOptions extends Partial<
  Pick<
    TuiRun,
    | "theme"
    | "notifications"
    | "panels"
    | "history"
    | "pictures"
    | "editor"
    | "keymap"
    | "editorMode"
    | "notes"
    | "findFiles"
    | "factsOf"
    | "levelsOf"
    | "shortPath"
    | "uses"
    | "tips"
    | "examples"
    | "mouse"
    | "sideColumn"
    | "workflow"
  >
> {
  readonly branch?: string
  readonly about?: Partial<SessionAbout>
  readonly mode?: PermissionMode
  /** What the session answers. */
  readonly answers?: Partial<Answering>
}

export async function openOnPaper(
  columns: number,
  rows = 40,
  { branch = "main", answers, about: known, mode, ...options }: PaperOptions = {},
): Promise<OnPaper> {
  const paper = openPaperTerminal(columns, rows)
  const feed = openFeed({ state: () => state })
  const ops: Op[] = []
  let questions: Question[] = []
  let state = { ...beginning, ...optional("mode", mode) }
  let entries = 0
  const { clock, now, timers, pass } = openPaperClock()

  const entry = (body: EntryBody): void => {
    const stamped = { uuid: `u${++entries}`, parentUuid: null, at: now(), ...body }
    state = foldState(state, stamped)
    feed.publishEntry(stamped)
  }
  const about = { ...paperAbout, cwd: beginning.cwd, ...known }
  const command: Answering["command"] = async ({ name, args }) => {
    const slash = openSlash({ ...slashParts, ask: session.ask, state: () => state, clock })
    return (await slash(name, args)) ?? null
  }
  const session = openPaperSession({
    id: "00000000-0000-4000-8000-000000000000",
    feed,
    submit(op) {
      ops.push(op)
      if (op.type === "set_mode") entry({ kind: "mode", mode: op.mode })
      if (op.type === "answer") {
        questions = questions.filter(({ id }) => id !== op.questionId)
        entry({ kind: "answer", questionId: op.questionId, answer: op.answer })
        feed.publish({ type: "question_close", questionId: op.questionId })
      }
    },
    answers: {
      about: () => about,
      recent: () => ({ cursor: about.recent }),
      state: () => state,
      questions: () => questions,
      command,
      ...answers,
    },
  })
  const tui = runTui({
    startedAs: "codewright",
    session,
    about,
    state,
    prompt: undefined,
    theme: "ansi",
    notifications: "desktop",
    panels: {},
    clock,
    factsOf: (id) => ({ id, provider: "anthropic", window: 200_000, maxOutput: 8000 }),
    levelsOf: () => ({ warning: 172_000, compactsAt: 179_000 }),
    branch: () => branch,
    findFiles: async (words) => ["src/app.ts", "src/parse.ts", "README.md"].filter((path) => path.includes(words)),
    ...options,
    terminal: paper.terminal,
  })

  return {
    terminal: paper.virtual,
    session,
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
