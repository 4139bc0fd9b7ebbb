/** A dialog on a screen of some size: everything that is asked and answered in one place, with the rest scrolled inside it. See decision 54. */

import { framed, framedRoom } from "#faces/tui/framed.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import { dim } from "#faces/tui/screen/style.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import { askerOf } from "#faces/view/asker.ts"
import { forConsent } from "#lib/printable.ts"
import { type Dialog, shownOf } from "./dialog.ts"
import type { Shown } from "./shown.ts"
import { cursorBar } from "./words.ts"

interface Window {
  readonly from: number
  readonly shown: number
  readonly of: number
}

export interface DialogLayout {
  readonly rows: readonly string[]
  readonly window?: Window
}

interface Beside {
  readonly waiting: number
  readonly draft: string
  /** Replaces the keys, if the last key asked for it. */
  readonly hint?: string
  /** Comes after the keys, if there is room. */
  readonly tip?: string
}

export function dialogLayout(dialog: Dialog, { columns, rows }: Size, beside: Beside): DialogLayout {
  const { waiting, draft } = beside
  const { agent } = dialog
  const asked = shownOf(dialog.state, columns - 2)
  const asker = agent === undefined ? [] : [fitted(dim(`Asked by ${askerOf(agent)}`), columns - 2)]
  const shown = { ...asked, question: [...asked.question, ...asker] }
  const hint = forConsent(
    beside.hint ??
      `${waiting > 0 ? `${waiting} more after this · ` : ""}${shown.hint}${beside.tip === undefined ? "" : ` · ${beside.tip}`}`,
  )
  const most = rows - 1
  const typed = dialog.typed === "in the prompt" && draft !== "" ? [draftRow(draft, columns)] : []
  const { rows: inside, window } = arranged(shown, dialog.scroll, framedRoom(hint, columns, most) - typed.length)
  const framedRows = framed(inside, hint, columns, most - typed.length)
  return { rows: [...framedRows, ...typed], ...(window && { window }) }
}

const draftRow = (draft: string, columns: number): string =>
  fitted(dim(`  In your prompt: ${forConsent(draft.replaceAll("\n", " "))}`), columns)

export function scrolledBy(dialog: Dialog, size: Size, beside: Beside, pages: 1 | -1): Dialog {
  const { window } = dialogLayout(dialog, size, beside)
  if (!window) return dialog
  const to = window.from + pages * Math.max(1, window.shown - 1)
  return { ...dialog, scroll: Math.max(0, Math.min(window.of - window.shown, to)) }
}

function arranged(shown: Shown, scroll: number | undefined, room: number): DialogLayout {
  const { question, thing: subject, startsAt = 0, details = [], notes, answers } = tidy(shown)
  const start = scroll ?? { at: startsAt }
  // They follow what they explain, which therefore gets the room.
  const thing = details.length === 0 ? subject : [...subject, "", ...details]
  const apart = (rows: readonly string[]): readonly string[] => (rows.length > 0 ? ["", ...rows] : [])
  const all = [...question, ...thing, ...apart(notes), "", ...answers]
  if (all.length <= room) return { rows: all }
  // Whoever answers must see what is at risk, so the notes are the last to scroll away.
  const besides = room - question.length - 1 - notes.length - 1 - answers.length
  if (besides >= leastSeen) {
    const { rows, window } = part(thing, start, besides)
    return { rows: [...question, ...rows, ...notes, "", ...answers], window }
  }
  const whole = [...thing, ...notes]
  const beside = room - question.length - 1 - 1 - answers.length
  if (beside >= leastSeen) {
    const { rows, window } = part(whole, start, beside)
    return { rows: [...question, ...rows, "", ...answers], window }
  }
  return squeezed(question, whole, answers, start, room)
}

const leastSeen = 2

/** A long question scrolls together with its subject. */
function tidy(shown: Shown): Omit<Shown, "hint"> {
  const { question, thing, startsAt = 0 } = shown
  if (question.length <= 3) return shown
  const [first = "", ...more] = question
  return {
    ...shown,
    question: [first],
    thing: [...more, ...thing],
    startsAt: startsAt === 0 ? 0 : startsAt + more.length,
  }
}

/** For the smallest screens: a little of everything, and always the selected answer. */
function squeezed(
  question: readonly string[],
  whole: readonly string[],
  answers: readonly string[],
  start: Start,
  room: number,
): DialogLayout {
  const forAnswers = Math.max(1, Math.min(answers.length, room - 3))
  const first = question.slice(0, 1)
  const { rows, window } = part(whole, start, Math.max(1, room - 1 - 1 - forAnswers))
  const around = answersAround(answers, forAnswers)
  if (whole.length === 0) return { rows: [...first, ...answersAround(answers, Math.max(1, room - 1))] }
  return { rows: [...first, ...rows, ...around], window }
}

function answersAround(answers: readonly string[], most: number): readonly string[] {
  const written = answers.findLastIndex((row) => row.includes(cursorBar))
  const pointed = written === -1 ? answers.findIndex((row) => row.includes("❯")) : written
  const from = Math.max(0, Math.min(pointed, answers.length - most))
  return answers.slice(from, from + most)
}

/** Where the user scrolled to, or what must be in sight until then. */
type Start = number | { readonly at: number }

function part(
  all: readonly string[],
  start: Start,
  most: number,
): { readonly rows: readonly string[]; readonly window: Window } {
  const shown = Math.min(most, all.length)
  const wanted = typeof start === "number" ? start : start.at < shown ? 0 : start.at - (shown > 3 ? 1 : 0)
  const from = Math.max(0, Math.min(wanted, all.length - shown))
  const seen = shown === 1 ? `Line ${from + 1}` : `Lines ${from + 1}–${from + shown}`
  return {
    rows: [...all.slice(from, from + shown), dim(`${seen} of ${all.length} · PgUp/PgDn to scroll`)],
    window: { from, shown, of: all.length },
  }
}
