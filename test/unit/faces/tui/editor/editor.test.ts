/** The editor: what keys do to a text, and that nothing is lost by undo. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Editor, emptyEditor, fullText, press, sent } from "#faces/tui/editor/editor.ts"
import { search } from "#faces/tui/editor/history.ts"
import type { Key } from "#faces/tui/keys.ts"

const text = (given: string): Key => ({ kind: "text", text: given })
const key = (name: string): Key => ({ kind: "key", name })
const paste = (given: string): Key => ({ kind: "paste", text: given })
const after = (keys: readonly Key[], from: Editor = emptyEditor): Editor =>
  keys.reduce((editor, next) => press(editor, next) ?? editor, from)
/** The text with a bar where the cursor stands. */
const shown = ({ buffer: { text: all, at } }: Editor): string => `${all.slice(0, at)}|${all.slice(at)}`
const names = (list: string): Key[] => list.split(" ").map(key)

describe("moving", () => {
  test.each([
    ["left left", "hello wor|ld"],
    ["ctrl+a", "|hello world"],
    ["ctrl+a ctrl+f", "h|ello world"],
    ["alt+b", "hello |world"],
    ["alt+b alt+b", "|hello world"],
    ["home alt+f", "hello| world"],
    ["home ctrl+right ctrl+right", "hello world|"],
  ])("%s", (keys, expected) => {
    expect(shown(after([text("hello world"), ...names(keys)]))).toBe(expected)
  })

  test("goes over whole characters", () => {
    const family = "a👨‍👩‍👧é日"
    expect(shown(after([text(family), ...names("left left")]))).toBe("a👨‍👩‍👧|é日")
    expect(shown(after([text(family), ...names("left left left")]))).toBe("a|👨‍👩‍👧é日")
    expect(shown(after([text(family), ...names("left left backspace")]))).toBe("a|é日")
  })

  test("goes up and down between lines, and then to what was said before", () => {
    const two = after([text("first"), key("ctrl+j"), text("second line")], sent(after([text("before")])))
    expect(shown(after(names("up"), two))).toBe("first|\nsecond line")
    expect(shown(after(names("up up"), two))).toBe("before|")
    expect(shown(after(names("up up down"), two))).toBe("first\nsecond line|")
  })
})

describe("cutting", () => {
  test.each([
    ["ctrl+w", "hello |"],
    ["ctrl+w ctrl+w ctrl+y", "hello world|"],
    ["ctrl+u", "|"],
    ["ctrl+u ctrl+y ctrl+y", "hello worldhello world|"],
    ["home ctrl+k", "|"],
    ["home alt+d", "| world"],
    ["ctrl+w ctrl+_", "hello world|"],
    ["ctrl+w ctrl+_ alt+_", "hello |"],
  ])("%s", (keys, expected) => {
    expect(shown(after([text("hello world"), ...names(keys)]))).toBe(expected)
  })
})

test("undo takes back a word at a time", () => {
  const letters = [..."fix the bug"].map(text)
  expect(
    ["ctrl+_", "ctrl+_ ctrl+_", "ctrl+_ ctrl+_ alt+_"].map((keys) => shown(after([...letters, ...names(keys)]))),
  ).toEqual(["fix the|", "fix|", "fix the|"])
})

test("a long paste is a placeholder that is sent as what it stands for", () => {
  const long = "line\n".repeat(50)
  const editor = after([text("look: "), paste(long), text(" and "), paste("short")])
  expect(editor.buffer.text).toBe("look: [pasted text 1: 51 lines] and short")
  expect(fullText(editor)).toBe(`look: ${long} and short`)
})

test("what was sent can be searched, newest first, each once", () => {
  const editor = ["fix a", "fix b", "test", "fix b"].reduce((e, line) => sent(after([text(line)], e)), emptyEditor)
  expect([0, 1, 2].map((skip) => search(editor.history, "FIX", skip))).toEqual(["fix b", "fix a", undefined])
})

test("any keys leave the cursor on a character's edge, and undo leads back to the beginning", () => {
  const any = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }).map(text),
    fc
      .constantFrom(
        ..."left right up down home end ctrl+j backspace delete ctrl+w ctrl+u ctrl+k ctrl+y alt+b alt+f alt+d ctrl+_ alt+_".split(
          " ",
        ),
      )
      .map(key),
  )
  fc.assert(
    fc.property(fc.array(any, { maxLength: 60 }), (keys) => {
      const editor = after(keys)
      const { at, text: all } = editor.buffer
      expect(at).toBeGreaterThanOrEqual(0)
      expect(at).toBeLessThanOrEqual(all.length)
      expect(all.slice(0, at).isWellFormed() || !all.isWellFormed()).toBe(true)
      expect(
        after(
          Array.from({ length: 80 }, () => key("ctrl+_")),
          editor,
        ).buffer.text,
      ).toBe("")
    }),
  )
})
