/** A conversation on a screen: events come in, frames go out, keys become ops. */

import type { ModelFacts } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { never } from "#lib/never.ts"
import type { Session } from "#session/session.ts"
import { dropped } from "#faces/view/speech.ts"
import type { Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { takeFinished } from "#faces/view/view.ts"
import { found } from "./complete.ts"
import { bodyOf, openDialog } from "./dialogs/dialog.ts"
import { newest } from "./editor/history.ts"
import { type Effect, note } from "./effect.ts"
import { isTooTall, liveFrame } from "./frame.ts"
import { type Key, openKeys } from "./keys.ts"
import type { Detail } from "./parts/display.ts"
import { openPace } from "./pace.ts"
import { itemRows } from "./parts/item.ts"
import { bared } from "./parts/safe.ts"
import { pressKey } from "./press.ts"
import { openScreen } from "./screen/screen.ts"
import { bold, dim, withoutStyles } from "./screen/style.ts"
import { emptyState, type Status, type TuiState } from "./state.ts"
import type { Terminal } from "./terminal.ts"

export interface TuiRun {
  readonly session: Session
  /** The first prompt, if it was given with the command. */
  readonly prompt: string | undefined
  readonly terminal: Terminal
  readonly colours: "of the terminal" | "none"
  readonly clock: Clock
  readonly factsOf: (model: string) => ModelFacts
  readonly branch: () => string | undefined
  /** Files of the project whose path fits some words, best first. */
  readonly findFiles: (words: string, signal: AbortSignal) => Promise<readonly string[]>
}

export interface Tui {
  /** Ends the conversation from outside. */
  readonly leave: () => void
  /** Resolves when the session is closed and the terminal is given back. */
  readonly ended: Promise<void>
}

/** What the model sends is drawn in portions, and the spinner turns slowly: both cost the terminal, not us. */
const batchMs = 50
const spinnerMs = 150
const mostFolded = 20
const mostHistory = 60
/** A turn longer than this ends with a bell. */
const longTurnMs = 30_000

export function runTui({ session, prompt, terminal, colours, clock, factsOf, branch, findFiles }: TuiRun): Tui {
  const left = deferred<void>()
  const write = colours === "none" ? (text: string): void => terminal.write(withoutStyles(text)) : terminal.write
  const screen = openScreen({ write, size: terminal.size })
  const keys = openKeys({ clock, onKey })
  const pace = openPace(clock, paint)
  let state: TuiState = emptyState
  let above: string[] = []
  let finding: AbortController | undefined
  let open = true
  let currentBranch = branch()
  let title = ""

  function paint(): void {
    pace.clear()
    if (!open || terminal.isBusy()) return
    const { finished, view } = takeFinished(state.view)
    commit(finished, "folded")
    state = { ...state, view, folded: [...state.folded, ...finished.filter(isFolded)].slice(-mostFolded) }
    const size = terminal.size()
    if (state.dialog && isTooTall(state, size)) {
      above.push("", ...bodyOf(state.dialog.state, size.columns))
      state = { ...state, dialog: { ...state.dialog, bodyAbove: true } }
    }
    screen.paint({ above, ...liveFrame(state, statusOf(), size, clock.now()) })
    above = []
    showTitle()
    if (state.view.working && !state.dialog) pace.within(spinnerMs)
  }

  /** Whoever looks elsewhere sees there whether it works or waits for them. */
  function showTitle(): void {
    const mark = state.dialog ? "? " : state.view.working ? "* " : ""
    const next = `${mark}${bared(session.about.cwd.split("/").at(-1) ?? "")} - codewright`
    if (next !== title) terminal.setTitle(next)
    title = next
  }

  function statusOf(): Status {
    const now = session.state()
    return { session: now, window: factsOf(now.model).window, branch: currentBranch }
  }

  function commit(items: readonly Item[], detail: Detail): void {
    const { columns } = terminal.size()
    for (const item of items) above.push(...itemRows(item, columns, detail))
  }

  function onKey(key: Key): void {
    const { state: next, effects } = pressKey(state, key, { session: session.state(), now: clock.now() })
    state = next
    for (const effect of effects) act(effect)
    showNextQuestion()
    // All keys of one input are one frame.
    queueMicrotask(paint)
  }

  function act(effect: Effect): void {
    switch (effect.kind) {
      case "submit": {
        const done = session.submit(effect.op)
        if (!done.ok && done.failure.kind !== "no_such_question") act(note(failureWords(done.failure.kind), "error"))
        return
      }
      case "print":
        return commit(effect.items, effect.detail)
      case "leave":
        return left.resolve()
      case "suspend":
        return terminal.suspend()
      case "find":
        return void find(effect.words, effect.from)
      default:
        never(effect)
    }
  }

  function onResume(): void {
    screen.forget()
    paint()
  }

  async function find(words: string, from: number): Promise<void> {
    finding?.abort()
    finding = new AbortController()
    const { signal } = finding
    const paths = await findFiles(words, signal)
    if (signal.aborted) return
    state = found(state, words, from, paths)
    paint()
  }

  /** Questions come one at a time; one that was answered elsewhere goes. */
  function showNextQuestion(): void {
    const { questions } = state.view
    const { dialog } = state
    if (dialog && questions.some(({ id }) => id === dialog.questionId)) return
    const waiting = new Set(session.openQuestions().map(({ id }) => id))
    const next = questions.find(({ id }) => waiting.has(id))
    if (!dialog && !next) return
    if (next) terminal.ring()
    state = { ...state, dialog: next && openDialog(next, clock.now()) }
  }

  async function follow(): Promise<void> {
    const { entriesBefore } = session.about
    const history: Item[] = []
    for await (const event of session.events(0)) {
      state = { ...state, view: reduce(state.view, event) }
      if (event.seq < entriesBefore) {
        keepNewest(history)
        continue
      }
      if (event.seq === entriesBefore) {
        keepNewest(history)
        begin(history)
        continue
      }
      if (event.type === "entry" && event.entry.kind === "turn_end") {
        currentBranch = branch()
        const end = state.view.items.at(-1)
        if (end?.kind === "end" && end.durationMs > longTurnMs) terminal.ring()
      }
      showNextQuestion()
      pace.within(batchMs)
    }
    left.resolve()
  }

  function keepNewest(history: Item[]): void {
    const { finished, view } = takeFinished(state.view)
    state = { ...state, view }
    history.push(...finished)
    if (history.length > mostHistory * 2) history.splice(0, history.length - mostHistory)
  }

  /** The conversation so far, then the prompt: in one write. */
  function begin(history: readonly Item[]): void {
    if (!state.view.working) state = { ...state, view: dropped(state.view, undefined) }
    const { model, cwd } = session.state()
    above.push(`${bold("Codewright")} ${dim(bared(`in ${cwd}, with ${model}`))}`)
    if (history.length > mostHistory) above.push("", dim("  … what was said before is left out here"))
    commit(history.slice(-mostHistory), "folded")
    const said = history.flatMap((item) => (item.kind === "prompt" ? [item.text] : []))
    state = { ...state, editor: { ...state.editor, history: newest(said) } }
    // What was asked before anybody watched.
    for (const question of session.openQuestions())
      state = { ...state, view: reduce(state.view, { seq: 0, type: "question_open", question }) }
    showNextQuestion()
    paint()
    if (prompt === undefined) return
    session.submit({ type: "prompt", content: [{ type: "text", text: prompt }], when: "queue" })
  }

  /** What is still open goes to the scrollback as it is; of the prompt nothing stays. */
  function farewell(): void {
    commit(dropped(state.view, undefined).items, "folded")
    const { logPath } = session.about
    const goesOn = logPath !== undefined && session.state().turns > 0
    const words = goesOn ? ["", dim(`codewright --resume ${session.id} goes on with this conversation.`)] : []
    screen.paint({ above, live: [...words, ""], cursor: undefined })
  }

  async function converse(): Promise<void> {
    terminal.open({ onInput: keys.take, onResize: paint, onReady: paint, onResume, onEnd: left.resolve })
    try {
      if (session.about.entriesBefore === 0) begin([])
      const followed = follow()
      await left.promise
      finding?.abort()
      await session.close()
      await followed
      farewell()
    } finally {
      open = false
      pace.clear()
      terminal.close()
    }
  }

  return { leave: left.resolve, ended: converse() }
}

const isFolded = (item: Item): boolean =>
  item.kind === "thinking" || (item.kind === "call" && item.result !== undefined)

function failureWords(kind: "closed" | "empty_prompt" | "mode_not_available"): string {
  switch (kind) {
    case "closed":
      return "The session is closed."
    case "empty_prompt":
      return "There was nothing in that prompt."
    case "mode_not_available":
      return "This mode must be allowed when Codewright is started: --allow-dangerously-skip-permissions."
  }
}
