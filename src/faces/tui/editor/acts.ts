/** What each action does to the text. */

import type { ActionName } from "#faces/tui/keymap.ts"
import {
  spaceLeft,
  type Buffer,
  bufferOf,
  insert,
  leftOf,
  lineEnd,
  lineStart,
  remove,
  rightOf,
  vertical,
  wordLeft,
  wordRight,
} from "./buffer.ts"
import { changed, moved, redone, undone, type EditState } from "./change.ts"
import { newer, older, type Recall } from "./history.ts"
import { killed, settled } from "./kills.ts"
import { markedLine, readLine } from "./line.ts"
import { placeholderAt } from "./placeholders.ts"

type Act = (written: EditState) => EditState
type Where = (buffer: Buffer) => number

const go =
  (where: Where): Act =>
  (written) =>
    moved(written, where(written.buffer))

/** Consecutive cuts form one text. */
const cut =
  (where: Where): Act =>
  (written) => {
    const { buffer, kills } = written
    const to = where(buffer)
    const [from, until] = to < buffer.at ? [to, buffer.at] : [buffer.at, to]
    const after = killed(kills, buffer.text.slice(from, until), to < buffer.at ? "before" : "after")
    return { ...changed(written, remove(buffer, from, until)), kills: after }
  }

/** Deletes a character or a whole placeholder. */
const deleteCharacter =
  (side: "before" | "after"): Act =>
  (written) => {
    const { buffer, placeholders, kind } = written
    const { text, at } = buffer
    // At the very beginning there is only the mark left to take away.
    if (side === "before" && at === 0) return kind === "prompt" ? written : { ...written, kind: "prompt" }
    const whole = placeholderAt(text, at, side, placeholders)
    const to = side === "before" ? (whole ? at - whole : leftOf(buffer)) : whole ? at + whole : rightOf(buffer)
    return changed(written, remove(buffer, Math.min(to, at), Math.max(to, at)))
  }

const upOrOlder: Act = (written) => {
  const at = vertical(written.buffer, "up")
  if (at !== undefined) return moved(written, at)
  return recalled(written, older(written.history, markedLine(written.kind, written.buffer.text)))
}

const downOrNewer: Act = (written) => {
  const at = vertical(written.buffer, "down")
  if (at !== undefined) return moved(written, at)
  return recalled(written, newer(written.history))
}

function recalled(written: EditState, found: Recall | undefined): EditState {
  if (!found) return written
  const { kind, text } = readLine(found.text)
  return {
    ...written,
    kind,
    buffer: bufferOf(text),
    history: found.history,
    kills: settled(written.kills),
    typing: false,
  }
}

const lineStartOrGap: Where = (buffer) => {
  const start = lineStart(buffer)
  return start === buffer.at && start > 0 ? start - 1 : start
}

const lineEndOrGap: Where = (buffer) => {
  const end = lineEnd(buffer)
  return end === buffer.at && end < buffer.text.length ? end + 1 : end
}

function bringBack(written: EditState): EditState {
  const { buffer, kills } = written
  const text = kills.ring.at(-1)
  if (text === undefined) return written
  const yanked = { from: buffer.at, to: buffer.at + text.length, back: 1 }
  return { ...changed(written, insert(buffer, text)), kills: { ...kills, cutting: false, yanked } }
}

/** Replaces what was just pasted with the previous cut; after the oldest comes the newest. */
function bringBackEarlier(written: EditState): EditState {
  const { buffer, kills } = written
  const { yanked, ring } = kills
  if (!yanked) return written
  const back = (yanked.back % ring.length) + 1
  const text = ring.at(-back) ?? ""
  const next = insert(remove(buffer, yanked.from, yanked.to), text)
  return {
    ...changed(written, next),
    kills: { ...kills, yanked: { from: yanked.from, to: yanked.from + text.length, back } },
  }
}

function swapCharacters(written: EditState): EditState {
  const { text, at } = written.buffer
  const right = at === lineEnd(written.buffer) ? at : rightOf(written.buffer)
  const middle = leftOf({ text, at: right })
  const left = leftOf({ text, at: middle })
  if (left === middle || left < lineStart(written.buffer)) return written
  const swapped = text.slice(middle, right) + text.slice(left, middle)
  return changed(written, { text: text.slice(0, left) + swapped + text.slice(right), at: right })
}

export const acts: { readonly [name in ActionName]?: Act } = {
  "new-line": (written) => changed(written, insert(written.buffer, "\n")),
  left: go(leftOf),
  right: go(rightOf),
  "word-left": go(wordLeft),
  "word-right": go(wordRight),
  "line-start": go(lineStart),
  "line-end": go(lineEnd),
  "text-start": go(() => 0),
  "text-end": go(({ text }) => text.length),
  up: upOrOlder,
  down: downOrNewer,
  "delete-left": deleteCharacter("before"),
  "delete-right": deleteCharacter("after"),
  "cut-blank-left": cut(spaceLeft),
  "cut-word-left": cut(wordLeft),
  "cut-word-right": cut(wordRight),
  "cut-line-start": cut(lineStartOrGap),
  "cut-line-end": cut(lineEndOrGap),
  "bring-back": bringBack,
  "bring-back-earlier": bringBackEarlier,
  "swap-characters": swapCharacters,
  undo: undone,
  redo: redone,
}
