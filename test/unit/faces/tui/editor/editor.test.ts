/** The editor: what keys do to a text, and that nothing is lost by undo. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { act, attached, type Editor, emptyEditor, fullText, press, sent } from "#faces/tui/editor/editor.ts"
import { searchAll } from "#faces/tui/editor/history.ts"
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

  test("goes up and down by columns, never into a character", () => {
    const lines = after([text("a👨‍👩‍👧日x"), key("ctrl+j"), text("abcdef"), key("ctrl+j"), text("日本語")])
    expect(["up", "up up", "left up", "left up up"].map((keys) => shown(after(names(keys), lines)))).toEqual([
      "a👨‍👩‍👧日x\nabcdef|\n日本語",
      "a👨‍👩‍👧日x|\nabcdef\n日本語",
      "a👨‍👩‍👧日x\nabcd|ef\n日本語",
      "a👨‍👩‍👧|日x\nabcdef\n日本語",
    ])
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
    ["ctrl+h ctrl+h", "hello wor|"],
    ["home ctrl+d delete", "|llo world"],
    ["alt+backspace", "hello |"],
    ["ctrl+w left ctrl+u ctrl+y", "hello| "],
    // Cut apart, what was cut before comes after what was cut last, and then again the last.
    ["ctrl+w left ctrl+u ctrl+y alt+y", "world| "],
    ["ctrl+w left ctrl+u ctrl+y alt+y alt+y", "hello| "],
    ["ctrl+y alt+y", "hello world|"],
  ])("%s", (keys, expected) => {
    expect(shown(after([text("hello world"), ...names(keys)]))).toBe(expected)
  })

  test("the line before and after the cursor, and then the break", () => {
    const lines = after([text("one"), key("ctrl+j"), text("two")])
    expect(shown(after(names("ctrl+u"), lines))).toBe("one\n|")
    expect(shown(after(names("ctrl+u ctrl+u"), lines))).toBe("one|")
    expect(shown(after(names("up ctrl+k"), lines))).toBe("one|two")
  })

  test("swaps the characters around the cursor", () => {
    const swapped = (given: string, keys: string): string => {
      const editor = after([text(given), ...names(keys)])
      return shown(act(editor, "swap-characters") ?? editor)
    }
    expect([swapped("teh", "left"), swapped("teh", "end"), swapped("t", "end"), swapped("日本", "end")]).toEqual([
      "the|",
      "the|",
      "t|",
      "本日|",
    ])
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
  expect(editor.buffer.text).toBe("look: [Pasted text #1 +50 lines] and short")
  expect(fullText(editor)).toBe(`look: ${long} and short`)
})

test("a placeholder in a paste is only words, and one goes as a whole", () => {
  const first = `[Pasted text #2 +30 lines]\n${"a\n".repeat(20)}`
  const second = "b\n".repeat(29)
  const both = after([paste(first), paste(second)])
  expect(both.buffer.text).toBe("[Pasted text #1 +21 lines][Pasted text #2 +29 lines]")
  expect(fullText(both)).toBe(first + second)
  expect(shown(after(names("backspace"), both))).toBe("[Pasted text #1 +21 lines]|")
  expect(shown(after(names("home delete"), both))).toBe("|[Pasted text #2 +29 lines]")
  // The number of one that is gone is not given again while another holds a higher one.
  expect(after([key("home"), key("delete"), paste(first)], both).buffer.text).toStartWith("[Pasted text #3 ")
  expect(attached(emptyEditor, { kind: "picture", block: undefined }).name).toBe("[Image #1]")
})

test("a command and a note come back as what they were, and a prompt that looks like one as a prompt", () => {
  const said = (kind: Editor["kind"], line: string, from: Editor): Editor =>
    sent(after([paste(line)], { ...from, kind }))
  const editor = said("prompt", "# Title", said("memory", "note", said("shell", "ls", emptyEditor)))
  const back = (ups: number): readonly [string, string] => {
    const { kind, buffer } = after(
      Array.from({ length: ups }, () => key("up")),
      editor,
    )
    return [kind, buffer.text]
  }
  expect([back(1), back(2), back(3)]).toEqual([
    ["prompt", "# Title"],
    ["memory", "note"],
    ["shell", "ls"],
  ])
})

test("what was sent can be searched, newest first, each once", () => {
  const editor = ["fix a", "fix b", "test", "fix b"].reduce((e, line) => sent(after([text(line)], e)), emptyEditor)
  expect(searchAll(editor.history, "FIX")).toEqual(["fix b", "fix a"])
})

test("any keys leave the cursor on a character's edge, and undo leads back to the beginning", () => {
  const any = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }).map(text),
    fc
      .constantFrom(
        ..."left right up down home end ctrl+j backspace delete ctrl+w ctrl+u ctrl+k ctrl+y alt+y alt+b alt+f alt+d ctrl+_ alt+_ ctrl+left ctrl+right".split(
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
      const edges = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(all)].map(
        ({ index }) => index,
      )
      expect(at === all.length || edges.includes(at)).toBe(true)
      expect(
        after(
          Array.from({ length: 80 }, () => key("ctrl+_")),
          editor,
        ).buffer.text,
      ).toBe("")
    }),
  )
})
