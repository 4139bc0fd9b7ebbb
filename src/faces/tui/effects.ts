/** Does what keys ask for beyond the state: of the session, the terminal, panels, and the world outside. */

import type { InterruptCause } from "#agent/words/interruption.ts"
import { backgroundWork } from "#faces/view/background-work.ts"
import type { Clock } from "#lib/clock.ts"
import type { Deferred } from "#lib/deferred.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { NextConversation } from "#session/opening/program.ts"
import { doneText } from "#session/slash/done.ts"
import type { LastAnswer } from "#faces/view/last-answer.ts"
import { editedDialog } from "./dialogs/dialog.ts"
import type { ThemedScreen } from "./themed-screen.ts"
import { toggledVim } from "./editor/vim.ts"
import { type Effect, note, type PaletteChoice } from "./effect.ts"
import type { SessionMirror } from "./session-mirror.ts"
import type { ExternalEffects } from "./external-effects.ts"
import type { OpenPanelHost } from "./panels/host.ts"
import type { Stage } from "./stage.ts"
import type { Terminal } from "./terminal.ts"
import { quitPanel } from "./panels/quit.ts"
import { failureWords } from "./words.ts"

export function openEffects(parts: {
  readonly session: SessionPort
  readonly here: SessionMirror
  readonly stage: Stage
  readonly screen: Pick<ThemedScreen, "refresh">
  readonly panels: Pick<OpenPanelHost, "open" | "show">
  readonly resume: ((next: NextConversation) => void) | undefined
  /** Another process has it open, and keeps it. */
  readonly isShared: boolean
  readonly background: (prompt: string) => void
  readonly outside: Pick<ExternalEffects, "act" | "editText">
  readonly answer: Pick<LastAnswer, "copy">
  readonly terminal: Pick<Terminal, "suspend">
  readonly clock: Clock
  readonly openPager: () => void
  readonly openPalette: () => void
  readonly choose: (choice: PaletteChoice) => void
  readonly draw: () => void
  readonly fail: (error: unknown) => void
  readonly left: Pick<Deferred<InterruptCause | undefined>, "resolve">
}): (effect: Effect) => void {
  const { session, here, stage } = parts

  async function submit({ op, says }: Effect & { kind: "submit" }): Promise<void> {
    here.did(op)
    const done = await session.submit(op)
    if (done.ok && says) {
      act(note(doneText(op)))
      return parts.draw()
    }
    if (done.ok || done.failure.kind === "no_such_question") return
    here.undo(op)
    act(note(failureWords(done.failure), "error"))
    parts.draw()
  }

  const release = (): void => act({ kind: "submit", op: { type: "release" } })

  /** Background work ends with the session, so the user is asked first. */
  async function leave(effect: Effect & { kind: "leave" }): Promise<void> {
    const work = effect.asked || parts.isShared ? [] : await workIn(session)
    if (work.length > 0) return parts.panels.show(quitPanel(work, effect))
    const { resume, fork, background } = effect
    if (background !== undefined) parts.background(background)
    if (resume !== undefined) parts.resume?.({ resume, ...(fork && { fork }) })
    parts.left.resolve(undefined)
  }

  async function editPlan(questionId: string, text: string): Promise<void> {
    const changed = await parts.outside.editText(text)
    const { dialog } = stage.state()
    if (changed === undefined || dialog?.questionId !== questionId) return
    stage.change((state) => ({ ...state, dialog: editedDialog(dialog, changed, parts.clock.now()) }))
    stage.paint()
  }

  function act(effect: Effect): void {
    switch (effect.kind) {
      case "submit":
        return void submit(effect).catch(parts.fail)
      case "print":
        return stage.commit(effect.items, effect.detail)
      case "leave":
        return void leave(effect).catch(parts.fail)
      case "vim":
        return stage.change((state) =>
          (state.editor.vim !== undefined) === effect.on ? state : { ...state, editor: toggledVim(state.editor) },
        )
      case "suspend":
        stage.clearLive()
        return parts.terminal.suspend()
      case "edit_plan":
        return void editPlan(effect.questionId, effect.text)
      case "panel":
        return parts.panels.open(effect.panel, effect.query, effect.holds && release)
      case "pager":
        return parts.openPager()
      case "palette":
        return parts.openPalette()
      case "choose":
        return parts.choose(effect.choice)
      case "copy":
        return parts.answer.copy(effect.text)
      case "redraw":
        parts.screen.refresh()
        return stage.paint()
      default:
        return parts.outside.act(effect)
    }
  }
  return act
}

async function workIn({ ask }: SessionPort): Promise<readonly string[]> {
  return backgroundWork(...(await Promise.all([ask({ type: "background" }), ask({ type: "agents" })])))
}
