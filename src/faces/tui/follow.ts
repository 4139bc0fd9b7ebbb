/** Events on their way to the screen: what was said before first, then everything as it happens. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { countedFiles, countingFiles } from "#faces/view/count-files.ts"
import type { SessionState } from "#agent/words/state.ts"
import { reduce } from "#faces/view/reduce.ts"
import { dropped } from "#faces/view/speech.ts"
import { splitFinished } from "#faces/view/view.ts"
import type { LastAnswer } from "#faces/view/last-answer.ts"
import { withQuestion } from "./current-question.ts"
import type { Attention } from "./attention.ts"
import { openBeginning } from "./beginning.ts"
import { panelFor } from "./commands.ts"
import { replaced } from "./editor/editor.ts"
import { newest } from "./editor/history.ts"
import type { Effect } from "./effect.ts"
import { openFileCount } from "./file-count.ts"
import type { SessionMirror } from "./session-mirror.ts"
import type { TuiContext } from "./outcome.ts"
import type { Pace } from "./pace.ts"
import { withdrawAll, withReturned } from "./returned.ts"
import type { Stage } from "./stage.ts"
import type { TuiRun } from "./tui-run.ts"
import { questionWords } from "./words.ts"

/** The model's stream is drawn in portions. */
export const batchMs = 50
const bypassNote =
  "Permission checks are off (bypass): commands and edits run without asking. Shift+Tab to change the mode."
const modeNotes = ({ mode }: SessionState): readonly string[] => (mode === "bypassPermissions" ? [bypassNote] : [])

/** A turn longer than this ends with a bell. */
const longTurnMs = 30_000

export interface Following {
  readonly follow: () => Promise<void>
  readonly showNextQuestion: () => void
}

export function openFollowing(parts: {
  readonly run: Pick<TuiRun, "session" | "about" | "prompt" | "terminal" | "clock" | "notes" | "shortPath">
  readonly here: SessionMirror
  readonly stage: Stage
  readonly attention: Attention
  readonly pace: Pace
  readonly answer: Pick<LastAnswer, "onEvent">
  readonly recall: () => Promise<void>
  readonly onTurnEnd: () => void
  readonly around: () => TuiContext
  readonly act: (effect: Effect) => void
}): Following {
  const { run, here, stage, attention, pace } = parts
  const { session, about, clock } = run
  const beginning = openBeginning()
  const fileCount = openFileCount(session, about.cwd, {
    begins: () => stage.change((state) => ({ ...state, view: countingFiles(state.view) })),
    ends(files) {
      stage.change((state) => ({ ...state, view: countedFiles(state.view, files) }))
      pace.within(batchMs)
    },
  })

  function showNextQuestion(): void {
    const { state, asks } = withQuestion(stage.state(), here.isOpen, { now: clock.now(), shortPath: run.shortPath })
    stage.change(() => state)
    if (asks) attention.call(questionWords(asks.ask.kind))
  }

  function keepNewest(): void {
    const { finished, view } = splitFinished(stage.state().view)
    stage.change((state) => ({ ...state, view }))
    beginning.add(finished)
  }

  /** In one write. */
  function begin(): void {
    if (!stage.state().view.working) stage.change((state) => ({ ...state, view: dropped(state.view, undefined) }))
    const { columns } = run.terminal.size()
    stage.push(
      beginning.rows({
        ...here.state(),
        cwd: (run.shortPath ?? String)(here.state().cwd),
        root: about.cwd,
        columns,
        notes: [...(run.notes ?? []), ...modeNotes(here.state())],
      }),
    )
    stage.change((state) => ({ ...state, editor: { ...state.editor, history: newest(beginning.said()) } }))
    stage.paint()
    void askedBefore()
    here.refresh("commands")
    here.refresh("background")
    here.refresh("sandbox")
    here.refresh("team")
    void parts.recall()
    // What an earlier run left queued is not sent without being seen.
    if (about.opened !== "beginning" && about.isShared !== true) void session.submit(withdrawAll)
    if (run.prompt === undefined) return
    void session.submit({ type: "prompt", content: [{ type: "text", text: run.prompt }], when: "queue" })
  }

  async function askedBefore(): Promise<void> {
    const questions = (await session.ask({ type: "questions" })).filter(here.isOpen)
    if (questions.length === 0) return
    for (const question of questions)
      stage.change((state) => ({ ...state, view: reduce(state.view, { type: "question_open", question }) }))
    showNextQuestion()
    pace.within(0)
  }

  /** Puts the rewound prompt into the editor, unless a new draft was begun. */
  function giveBack({ why, before, prompt }: Entry & { kind: "head" }): void {
    if (why !== "rewind" || before !== undefined || prompt === undefined) return
    stage.change((state) =>
      state.editor.buffer.text === "" ? { ...state, editor: replaced(state.editor, prompt) } : state,
    )
  }

  function happens(event: Event): void {
    here.onEvent(event)
    stage.change((state) => withReturned(state, event))
    fileCount.onEvent(event, stage.state().view)
    if (event.type === "entry" && event.entry.kind === "head") giveBack(event.entry)
    if (event.type === "entry" && event.entry.kind === "turn_end") {
      parts.onTurnEnd()
      const end = stage.state().view.items.at(-1)
      if (end?.kind === "end" && end.durationMs > longTurnMs) attention.call("done.")
    }
    showNextQuestion()
    pace.within(batchMs)
  }

  return {
    showNextQuestion,
    async follow() {
      let isPast = about.opened !== "beginning"
      if (!isPast) begin()
      for await (const event of session.events(about.recent)) {
        const panel = isPast ? undefined : panelFor(event, parts.around)
        stage.change((state) => ({ ...state, view: reduce(state.view, panel ? withoutText(event) : event) }))
        if (panel) parts.act(panel)
        parts.answer.onEvent(event)
        if (event.type === "retry_wait")
          stage.change((state) => ({ ...state, retryAt: clock.now() + event.retry.delayMs }))
        if (!isPast) happens(event)
        else {
          keepNewest()
          isPast = event.cursor !== about.opened
          if (!isPast) begin()
        }
      }
    },
  }
}

/** The panel shows the text instead. */
const withoutText = (event: Event): Event =>
  event.type === "entry" && event.entry.kind === "command" ? { ...event, entry: { ...event.entry, text: "" } } : event
