/** A conversation on a screen: events come in, frames go out, keys become ops. */

import { deferred } from "#lib/deferred.ts"
import { later } from "#lib/later.ts"
import { openLastAnswer } from "./answer.ts"
import { openAttention } from "./attention.ts"
import { completedAgain } from "./complete.ts"
import { editedDialog } from "./dialogs/dialog.ts"
import { openDressedScreen } from "./dressed.ts"
import { newVim } from "./editor/vim-state.ts"
import { openEffects } from "./effects.ts"
import { type Effect, note } from "./effect.ts"
import { batchMs, openFollowing } from "./follow.ts"
import { openHere } from "./here.ts"
import { type Key, openKeys } from "./keys.ts"
import { offersOf, openOutside } from "./outside.ts"
import { openPace } from "./pace.ts"
import { openPanelHost } from "./panels/host.ts"
import type { Around, Outcome } from "./outcome.ts"
import { pressKey } from "./press.ts"
import { openRescue } from "./rescue.ts"
import { sentOnceRead } from "./send.ts"
import { dim } from "./screen/style.ts"
import { openStage, type Stage } from "./stage.ts"
import { emptyState, type Status } from "./state.ts"
import type { Crash, Tui, TuiRun } from "./tui-run.ts"

export function runTui(run: TuiRun): Tui {
  const { session, terminal, clock, factsOf, branch, about } = run
  const left = deferred<void>()
  // Whatever draws or acts may be asked to by what it is made of.
  const ahead = { stage: later<Stage>("The stage"), act: later<(effect: Effect) => void>("What effects do") }
  const paint = (): void => ahead.stage.get().paint()
  const act = (effect: Effect): void => ahead.act.get()(effect)
  const screen = openDressedScreen({ terminal, clock, theme: run.theme, paint })
  const { safely, fail, crash } = openRescue(() => {
    ahead.stage.get().giveBack()
    left.resolve()
  })
  const pace = openPace(clock, safely(paint))
  /** All keys of one input are one frame. */
  const draw = (): void => queueMicrotask(safely(paint))
  const attention = openAttention(terminal, about.cwd, run.notifications)
  const here = openHere(session, run.state, (what) => {
    if (what === "commands") ahead.stage.get().change((state) => completedAgain(state, around()))
    pace.within(batchMs)
  })
  const answer = openLastAnswer({ copy: terminal.copy, tell: (text, level) => act(note(text, level)) })
  const panels = openPanelHost({
    ports: run.panels,
    clock,
    size: terminal.size,
    redraw: draw,
    around: () => ({ model: here.state().model, theme: screen.theme(), wear: screen.wear }),
    act,
  })
  const stage = openStage({
    first: {
      ...emptyState,
      keymap: run.keymap ?? emptyState.keymap,
      editor: { ...emptyState.editor, vim: run.editorMode === "vim" ? newVim : undefined },
    },
    terminal,
    screen,
    attention,
    pace,
    clock,
    root: about.cwd,
    status,
    panel: panels.shown,
  })
  ahead.stage.settle(stage)
  const outside = openOutside({
    ports: run,
    session,
    lend: stage.lend,
    tell(effect) {
      act(effect)
      paint()
    },
    change(next) {
      stage.change(next)
      const sent = sentOnceRead(stage.state(), around())
      if (sent) take(sent)
      paint()
    },
  })
  ahead.act.settle(
    openEffects({ session, here, stage, screen, panels, outside, answer, terminal, draw, fail, editPlan, left }),
  )
  let currentBranch = branch()
  const { follow, showNextQuestion } = openFollowing({
    run,
    here,
    stage,
    attention,
    pace,
    answer,
    recall: outside.recall,
    onTurnEnd: () => void (currentBranch = branch()),
  })
  const offers = offersOf(run.panels, run)
  const keys = openKeys({ clock, onKey })

  function status(): Status {
    const now = here.state()
    return { session: now, window: factsOf(now.model).window, branch: currentBranch, background: here.background() }
  }

  function onKey(key: Key): void {
    if (!stage.state().dialog && panels.press(key)) return draw()
    take(pressKey(stage.state(), key, around()))
    showNextQuestion()
    if (here.background() > 0) here.refresh("background")
    if (stage.state().completion) here.refresh("commands")
    draw()
  }

  function take({ state, effects }: Outcome): void {
    stage.change(() => state)
    for (const effect of effects) act(effect)
  }

  function around(): Around {
    const { columns } = terminal.size()
    return { session: here.state(), now: clock.now(), columns, offers, sessionCommands: here.commands() }
  }

  async function editPlan(questionId: string, text: string): Promise<void> {
    const changed = await outside.editText(text)
    const { dialog } = stage.state()
    if (changed === undefined || dialog?.questionId !== questionId) return
    stage.change((state) => ({ ...state, dialog: editedDialog(dialog, changed, clock.now()) }))
    paint()
  }

  function farewell(): void {
    const goesOn = about.logPath !== undefined && here.state().turns > 0
    stage.farewell(goesOn ? ["", dim(`codewright --resume ${session.id} goes on with this conversation.`)] : [])
  }

  async function converse(): Promise<Crash | undefined> {
    terminal.open({
      onInput: safely(screen.reading(keys.take)),
      onResize: safely(paint),
      onReady: safely(paint),
      onResume: safely(() => {
        screen.forget()
        paint()
      }),
      onEnd: left.resolve,
    })
    screen.askBackground()
    try {
      const followed = follow().then(left.resolve, fail)
      await left.promise
      outside.close()
      panels.close()
      await session.close()
      await followed
      if (!crash()) safely(farewell)()
      return crash()
    } finally {
      stage.close()
    }
  }

  return { leave: left.resolve, fail, ended: converse() }
}
