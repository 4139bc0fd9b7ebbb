/** A conversation on a screen: events come in, frames go out, keys become ops. */

import { deferred } from "#lib/deferred.ts"
import { dropped } from "#faces/view/speech.ts"
import type { Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { isBusy, takeFinished, withNotice } from "#faces/view/view.ts"
import { openLastAnswer } from "./answer.ts"
import { withQuestion } from "./asked.ts"
import { openAttention } from "./attention.ts"
import { openBeginning } from "./beginning.ts"
import { bodyOf, editedDialog } from "./dialogs/dialog.ts"
import { openDressedScreen } from "./dressed.ts"
import { newest } from "./editor/history.ts"
import { newVim } from "./editor/vim-state.ts"
import { type Effect, note } from "./effect.ts"
import { isTooTall, liveFrame } from "./frame.ts"
import { type Key, openKeys } from "./keys.ts"
import { offersOf, openOutside } from "./outside.ts"
import type { Detail } from "./parts/display.ts"
import { openPanelHost } from "./panels/host.ts"
import { openPace } from "./pace.ts"
import { itemRows } from "./parts/item.ts"
import type { Around, Outcome } from "./outcome.ts"
import { pressKey } from "./press.ts"
import { openRescue } from "./rescue.ts"
import { sentOnceRead } from "./send.ts"
import { dim } from "./screen/style.ts"
import { emptyState, type Status, type TuiState } from "./state.ts"
import type { Crash, Tui, TuiRun } from "./tui-run.ts"
import { openWholeAccount } from "./whole-account.ts"
import { failureWords, questionWords } from "./words.ts"

/** What the model sends is drawn in portions, and the spinner turns slowly: both cost the terminal, not us. */
const batchMs = 50
const spinnerMs = 150
const mostFolded = 20
/** A turn longer than this ends with a bell. */
const longTurnMs = 30_000

export function runTui(run: TuiRun): Tui {
  const { session, prompt, terminal, clock, factsOf, branch } = run
  const left = deferred<void>()
  const screen = openDressedScreen({ terminal, clock, theme: run.theme, paint: () => paint() })
  const { safely, fail, crash } = openRescue(giveBack)
  const answer = openLastAnswer({ copy: terminal.copy, tell: (text, level) => act(note(text, level)) })
  const wholeAccount = openWholeAccount(session, (text) => {
    // Among the items, not before those that are still to be drawn.
    state = { ...state, view: withNotice(state.view, text) }
    pace.within(batchMs)
  })
  const attention = openAttention(terminal, session.about.cwd, run.notifications)
  const keys = openKeys({ clock, onKey })
  const pace = openPace(clock, safely(paint))
  const panels = openPanelHost({
    ports: run.panels,
    clock,
    size: terminal.size,
    redraw: () => queueMicrotask(safely(paint)),
    around: () => ({ model: session.state().model, theme: screen.theme(), wear: screen.wear }),
    act,
  })
  const outside = openOutside({
    ports: run,
    look: session.look,
    lend,
    tell(effect) {
      act(effect)
      paint()
    },
    change(next) {
      state = next(state)
      const sent = sentOnceRead(state, around())
      if (sent) take(sent)
      paint()
    },
  })
  const offers = offersOf(run.panels, run)
  const beginning = openBeginning()
  let state: TuiState = {
    ...emptyState,
    keymap: run.keymap ?? emptyState.keymap,
    editor: { ...emptyState.editor, vim: run.editorMode === "vim" ? newVim : undefined },
  }
  let above: string[] = []
  let open = true
  let currentBranch = branch()

  function paint(): void {
    pace.clear()
    if (!open || terminal.isBusy()) return
    const settlesIn = screen.settlesIn()
    if (settlesIn > 0) return pace.within(settlesIn)
    const { finished, view } = takeFinished(state.view)
    commit(finished, "folded")
    state = { ...state, view, folded: [...state.folded, ...finished.filter(isFolded)].slice(-mostFolded) }
    const size = terminal.size()
    if (state.dialog && isTooTall(state, size)) {
      above.push("", ...bodyOf(state.dialog.state, size.columns))
      state = { ...state, dialog: { ...state.dialog, bodyAbove: true } }
    }
    screen.paint({ above, ...liveFrame(state, statusOf(), size, clock.now(), panels.shown()) })
    above = []
    attention.show(state.dialog ? "asks" : isBusy(state.view) ? "works" : "rests")
    if (isBusy(state.view) && !state.dialog) pace.within(spinnerMs)
  }

  function giveBack(): void {
    if (!open) return
    open = false
    pace.clear()
    // Below what stands there, so that what is said about it can be read.
    terminal.write("\r\n\u001b[J")
    terminal.close()
    left.resolve()
  }

  function statusOf(): Status {
    const now = session.state()
    const window = factsOf(now.model).window
    return { session: now, window, branch: currentBranch, background: run.background?.() ?? 0 }
  }

  function commit(items: readonly Item[], detail: Detail): void {
    const { columns } = terminal.size()
    for (const item of items) above.push(...itemRows(item, columns, detail, session.about.cwd))
  }

  function onKey(key: Key): void {
    if (!state.dialog && panels.press(key)) return queueMicrotask(safely(paint))
    take(pressKey(state, key, around()))
    showNextQuestion()
    // All keys of one input are one frame.
    queueMicrotask(safely(paint))
  }

  function take({ state: next, effects }: Outcome): void {
    state = next
    for (const effect of effects) act(effect)
  }

  const around = (): Around => ({
    session: session.state(),
    now: clock.now(),
    columns: terminal.size().columns,
    offers,
    sessionCommands: run.commands?.() ?? [],
  })

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
        clearLive()
        return terminal.suspend()
      case "edit_plan":
        return void editPlan(effect.questionId, effect.text)
      case "panel":
        return panels.open(effect.panel, effect.query)
      case "copy":
        return answer.copy()
      case "redraw":
        screen.refresh()
        return paint()
      default:
        return outside.act(effect)
    }
  }

  /** Takes the live rows away: whoever writes next begins where they began. */
  function clearLive(): void {
    paint()
    screen.paint({ above, live: [""], cursor: { row: 0, column: 0 } })
    above = []
  }

  function lend<T>(work: () => Promise<T>): Promise<T> {
    clearLive()
    return terminal.lend(work)
  }

  function onResume(): void {
    screen.forget()
    paint()
  }

  async function editPlan(questionId: string, text: string): Promise<void> {
    const changed = await outside.editText(text)
    const { dialog } = state
    if (changed === undefined || dialog?.questionId !== questionId) return
    state = { ...state, dialog: editedDialog(dialog, changed, clock.now()) }
    paint()
  }

  function showNextQuestion(): void {
    const { state: next, asks } = withQuestion(state, session.openQuestions(), clock.now())
    state = next
    if (asks) attention.call(questionWords(asks.ask.kind))
  }

  async function follow(): Promise<void> {
    const { entriesBefore } = session.about
    for await (const event of session.events(0)) {
      state = { ...state, view: reduce(state.view, event) }
      answer.hear(event)
      if (event.type === "retry_wait") state = { ...state, retryAt: clock.now() + event.retry.delayMs }
      if (event.seq < entriesBefore) {
        keepNewest()
        continue
      }
      if (event.seq === entriesBefore) {
        keepNewest()
        begin()
        continue
      }
      wholeAccount.hear(event, state.view)
      if (event.type === "entry" && event.entry.kind === "turn_end") {
        currentBranch = branch()
        const end = state.view.items.at(-1)
        if (end?.kind === "end" && end.durationMs > longTurnMs) attention.call("it is done.")
      }
      showNextQuestion()
      pace.within(batchMs)
    }
    left.resolve()
  }

  function keepNewest(): void {
    const { finished, view } = takeFinished(state.view)
    state = { ...state, view }
    beginning.take(finished)
  }

  /** The conversation so far, then the prompt: in one write. */
  function begin(): void {
    if (!state.view.working) state = { ...state, view: dropped(state.view, undefined) }
    const { columns } = terminal.size()
    above.push(...beginning.rows({ ...session.state(), root: session.about.cwd, columns, notes: run.notes ?? [] }))
    state = { ...state, editor: { ...state.editor, history: newest(beginning.said()) } }
    // What was asked before anybody watched.
    for (const question of session.openQuestions())
      state = { ...state, view: reduce(state.view, { seq: 0, type: "question_open", question }) }
    showNextQuestion()
    paint()
    void outside.recall()
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

  async function converse(): Promise<Crash | undefined> {
    terminal.open({
      onInput: safely(screen.reading(keys.take)),
      onResize: safely(paint),
      onReady: safely(paint),
      onResume: safely(onResume),
      onEnd: left.resolve,
    })
    screen.askBackground()
    try {
      if (session.about.entriesBefore === 0) safely(begin)()
      const followed = follow().catch(fail)
      await left.promise
      outside.close()
      panels.close()
      await session.close()
      await followed
      if (!crash()) safely(farewell)()
      return crash()
    } finally {
      if (open) terminal.close()
      open = false
      pace.clear()
    }
  }

  return { leave: left.resolve, fail, ended: converse() }
}

const isFolded = (item: Item): boolean =>
  item.kind === "thinking" || (item.kind === "call" && item.result !== undefined)
