/** The vim keys: letters are commands in normal mode, and text in insert mode. */

import type { Key } from "#faces/tui/keys.ts"
import { insert, leftOf, lineEnd, lineStart, rightOf } from "./buffer.ts"
import { changed, moved, redone, undone, type EditState } from "./change.ts"
import { act, type Editor, press } from "./editor.ts"
import { type Command, parseCommand } from "./vim-command.ts"
import { joined, operated, otherCase, overwritten, put } from "./vim-operations.ts"
import { firstSign, placeOf } from "./vim-motions.ts"
import { type Find, findIn, isVisual, newVim, type Vim, type VisualMode, withoutSelection } from "./vim-state.ts"
import { visual } from "./vim-visual.ts"
import { optional } from "#lib/optional.ts"
import { graphemes } from "#lib/graphemes.ts"

export const toggledVim = (editor: Editor): Editor => ({ ...editor, vim: editor.vim ? undefined : newVim })

/** Whether letters are commands. */
export const isNormal = ({ vim }: Editor): boolean => vim !== undefined && vim.mode !== "insert"

/** Undefined if the key has its ordinary meaning. */
export function pressVim(editor: Editor, key: Key): Editor | undefined {
  const { vim } = editor
  if (!vim) return undefined
  if (vim.mode === "insert") return key.kind === "key" && key.name === "escape" ? endInsert(editor, vim) : undefined
  if (key.kind === "paste") return undefined
  if (key.kind === "text") return pressLetters(editor, key.text)
  if (key.name === "escape" && vim.pending === "" && isVisual(vim.mode)) return unselected(editor)
  if (key.name === "escape") return vim.pending === "" ? undefined : withVim(editor, { pending: "" })
  if (key.name === "ctrl+r") return inNormal(unselected({ ...editor, ...redone(editor) }))
  const letter = asLetters[key.name]
  return letter === undefined ? undefined : pressLetters(editor, letter)
}

/** After any other key: records what was typed, and corrects the cursor. */
export function followed(editor: Editor, key: Key, before: Editor): Editor {
  const { vim } = editor
  if (!vim) return editor
  if (vim.mode !== "insert") return inNormal(before.buffer.text === editor.buffer.text ? editor : unselected(editor))
  const inserting = vim.inserting ?? { command: "i", typed: [], before: before.buffer, undo: before.undo }
  if (inserting.typed.length >= mostTyped) return editor
  return withVim(editor, { inserting: { ...inserting, typed: [...inserting.typed, key] } })
}

/** A longer insertion is not repeated completely. */
const mostTyped = 2000

const asLetters: { readonly [key: string]: string } = {
  left: "h",
  right: "l",
  up: "k",
  down: "j",
  home: "0",
  end: "$",
  backspace: "h",
  delete: "x",
  space: "l",
}

/** One by one: what follows an `i` in the same input is text already. */
function pressLetters(editor: Editor, text: string): Editor | undefined {
  const all = [...graphemes(text)].map(({ segment }) => segment)
  // The help belongs to an empty prompt in every mode.
  if (text === "?" && editor.buffer.text === "" && editor.vim?.pending === "") return undefined
  return all.reduce((now, letter): Editor => {
    if (!now.vim || now.vim.mode === "insert") {
      const key: Key = { kind: "text", text: letter }
      return followed(press(now, key) ?? now, key, now)
    }
    return pressLetter(now, now.vim, letter)
  }, editor)
}

function pressLetter(editor: Editor, vim: Vim, letter: string): Editor {
  const letters = vim.pending + letter
  const { mode } = vim
  if (isVisual(mode)) return pressVisual(editor, { ...vim, mode }, letters)
  const parsed = parseCommand(letters)
  switch (parsed.kind) {
    case "more":
      return withVim(editor, { pending: letters })
    case "unknown":
      return withVim(editor, { pending: "" })
    case "whole":
      return run(withVim(editor, { pending: "" }), { ...vim, pending: "" }, parsed.command, letters)
  }
}

function pressVisual(editor: Editor, vim: Vim & { readonly mode: VisualMode }, letters: string): Editor {
  const done = visual(editor.buffer, vim, letters)
  const calm = withVim(editor, { pending: "" })
  switch (done.kind) {
    case "more":
      return withVim(editor, { pending: letters })
    case "unknown":
      return calm
    case "selects": {
      const { mode, anchor, at, find = vim.find } = done
      return inNormal(withVim(withText(calm, moved(calm, at)), { mode, anchor, find }))
    }
    case "leaves": {
      const left = unselected(calm)
      return inNormal(withVim(withText(left, moved(left, done.at)), optional("register", done.register)))
    }
    case "changes": {
      // Undo leads back to the beginning of the selection.
      const begun = withText(calm, moved(calm, Math.min(vim.anchor, calm.buffer.at)))
      const after = withVim(withText(begun, changed(begun, done.buffer)), {
        mode: "normal",
        ...optional("register", done.register),
      })
      return done.then === "insert"
        ? beginInsert(after, begun, done.command)
        : inNormal(remembered(after, done.command))
    }
  }
}

const unselected = (editor: Editor): Editor => ({ ...editor, vim: editor.vim && withoutSelection(editor.vim) })

function run(editor: Editor, vim: Vim, command: Command, letters: string): Editor {
  switch (command.kind) {
    case "move":
      return move(editor, vim, command)
    case "operate": {
      const { operator, target, count } = command
      const found = findOf(command) ?? vim.find
      const done = operated(editor.buffer, operator, target, count, found)
      if (!done) return withVim(editor, { find: found })
      const register = done.register && done.register.text !== "" ? done.register : vim.register
      if (operator === "y")
        return inNormal(withVim(withText(editor, moved(editor, done.buffer.at)), { register, find: found }))
      const after = withVim(withText(editor, changed(editor, done.buffer)), { register, find: found })
      return operator === "c" ? beginInsert(after, editor, letters) : inNormal(remembered(after, letters))
    }
    case "do":
      return runCommand(editor, vim, command, letters)
  }
}

function move(editor: Editor, vim: Vim, command: Command & { kind: "move" }): Editor {
  const { motion, count } = command
  const find = findOf(command) ?? vim.find
  const place = placeOf(editor.buffer, motion, count, find)
  const next = withVim(editor, { find })
  if (place) return inNormal(withText(next, moved(next, place.at)))
  // Beyond the first and the last line lies what was said before.
  if (motion.name === "k") return inNormal(act(next, "up") ?? next)
  return motion.name === "j" ? inNormal(act(next, "down") ?? next) : next
}

function findOf(command: Command): Find | undefined {
  const motion = command.kind === "move" ? command.motion : command.kind === "operate" ? command.target : undefined
  return motion?.kind === "motion" ? findIn(motion) : undefined
}

function runCommand(
  editor: Editor,
  vim: Vim,
  { name, argument, count }: Command & { kind: "do" },
  letters: string,
): Editor {
  const { buffer } = editor
  const times = count ?? 1
  const to = (at: number): Editor => beginInsert(withText(editor, moved(editor, at)), editor, letters)
  const change = (next: Editor["buffer"] | undefined): Editor =>
    next ? inNormal(remembered(withText(editor, changed(editor, next)), letters)) : editor
  switch (name) {
    case "v":
    case "V":
      return withVim(editor, { mode: name === "v" ? "visual" : "visual line", anchor: buffer.at })
    case "i":
      return to(buffer.at)
    case "a":
      return to(buffer.at < lineEnd(buffer) ? rightOf(buffer) : buffer.at)
    case "I":
      return to(firstSign(buffer.text, lineStart(buffer)))
    case "A":
      return to(lineEnd(buffer))
    case "o":
      return beginInsert(
        withText(editor, changed(editor, insert({ ...buffer, at: lineEnd(buffer) }, "\n"))),
        editor,
        letters,
      )
    case "O": {
      const start = lineStart(buffer)
      const next = { text: insert({ ...buffer, at: start }, "\n").text, at: start }
      return beginInsert(withText(editor, changed(editor, next)), editor, letters)
    }
    case "p":
    case "P":
      return vim.register.text === ""
        ? editor
        : change(put(buffer, vim.register, name === "p" ? "after" : "before", times))
    case "r": {
      const next = overwritten(buffer, times, () => argument, "refused")
      return change(next && { text: next.text, at: leftOf(next) })
    }
    case "~":
      return change(overwritten(buffer, times, otherCase, "allowed"))
    case "J":
      return change(joined(buffer, times))
    case "u":
      return inNormal(Array.from({ length: times }).reduce<Editor>((now) => withText(now, undone(now)), editor))
    case ".":
      return vim.change ? repeated(editor, vim.change) : editor
    default:
      return editor
  }
}

function repeated(editor: Editor, change: NonNullable<Vim["change"]>): Editor {
  const parsed = parseCommand(change.command)
  if (parsed.kind !== "whole" || !editor.vim) return editor
  const begun = run(editor, editor.vim, parsed.command, change.command)
  if (begun.vim?.mode !== "insert") return begun
  const typed = change.typed.reduce((now, key) => press(now, key) ?? now, begun)
  const ended = typed.vim ? endInsert(typed, typed.vim) : typed
  return withVim(ended, { change })
}

function beginInsert(editor: Editor, before: Editor, command: string): Editor {
  return withVim(editor, {
    mode: "insert",
    inserting: { command, typed: [], before: before.buffer, undo: before.undo },
  })
}

/** The cursor moves onto the last character, and the insertion is one step of undo. */
function endInsert(editor: Editor, vim: Vim): Editor {
  const { inserting } = vim
  const { buffer } = editor
  const at = buffer.at > lineStart(buffer) ? leftOf(buffer) : buffer.at
  const next = withVim(withText(editor, moved(editor, at)), { mode: "normal", pending: "", inserting: undefined })
  if (!inserting) return inNormal(next)
  const { command, typed, before, undo } = inserting
  const isChanged = before.text !== buffer.text
  const joinedUndo = isChanged ? [...undo, before] : undo
  const change = isChanged ? { command, typed } : vim.change
  return withVim(inNormal({ ...next, undo: joinedUndo }), { change })
}

const remembered = (editor: Editor, command: string): Editor => withVim(editor, { change: { command, typed: [] } })

/** In normal mode the cursor is on a character, never after the last one of a line. */
function inNormal(editor: Editor): Editor {
  const { buffer } = editor
  if (buffer.at < lineEnd(buffer) || buffer.at === lineStart(buffer)) return editor
  return { ...editor, buffer: { ...buffer, at: leftOf(buffer) } }
}

const withText = (editor: Editor, written: EditState): Editor => ({ ...editor, ...written })

const withVim = (editor: Editor, part: Partial<Vim>): Editor =>
  editor.vim ? { ...editor, vim: { ...editor.vim, ...part } } : editor
