/** The vim keys: what commands do, and that no keys at all lead out of the text. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { act, type Editor, emptyEditor, press, replaced, sent } from "#faces/tui/editor/editor.ts"
import { followed, isNormal, pressVim, toggledVim } from "#faces/tui/editor/vim.ts"
import { selectionOf } from "#faces/tui/editor/vim-visual.ts"
import { editorRows } from "#faces/tui/parts/editor.ts"
import { defaultKeymap } from "#faces/tui/keymap.ts"
import type { Key } from "#faces/tui/keys.ts"

const text = (given: string): Key => ({ kind: "text", text: given })
const key = (name: string): Key => ({ kind: "key", name })

/** As the face does it: first the vim keys, then everyone's. */
function after(editor: Editor, pressed: Key): Editor {
  const byVim = pressVim(editor, pressed)
  if (byVim) return byVim
  if (pressed.kind === "text" && isNormal(editor)) return editor
  const found = pressed.kind === "key" ? defaultKeymap.find("", pressed) : undefined
  if (found?.kind === "actions")
    for (const name of found.names) {
      const next = act(editor, name)
      if (next) return followed(next, pressed, editor)
    }
  return pressed.kind === "key" ? editor : followed(press(editor, pressed) ?? editor, pressed, editor)
}

/** A text with `|` before the character that the cursor stands on, in normal mode. */
function normal(marked: string): Editor {
  const at = marked.indexOf("|")
  const editor = replaced({ ...toggledVim(emptyEditor) }, marked.replace("|", ""))
  const begun = after({ ...editor, undo: [] }, key("escape"))
  return { ...begun, buffer: { ...begun.buffer, at } }
}

const escape = "\u001b"
const typed = (editor: Editor, keys: string): Editor =>
  [...keys].reduce((now, letter) => after(now, letter === escape ? key("escape") : text(letter)), editor)
const shown = ({ buffer: { text: all, at } }: Editor): string => `${all.slice(0, at)}|${all.slice(at)}`

describe("moving", () => {
  test.each([
    ["|one two three", "w", "one |two three"],
    ["|one two three", "2w", "one two |three"],
    ["|one two three", "9w", "one two thre|e"],
    ["one two th|ree", "b", "one two |three"],
    ["one two |three", "2b", "|one two three"],
    ["|one two", "e", "on|e two"],
    ["on|e two", "e", "one tw|o"],
    ["|foo.bar baz", "w", "foo|.bar baz"],
    ["|foo.bar baz", "W", "foo.bar |baz"],
    ["foo.bar |baz", "B", "|foo.bar baz"],
    ["|foo.bar baz", "E", "foo.ba|r baz"],
    ["one| two", "hh", "o|ne two"],
    ["|one", "llllll", "on|e"],
    ["  on|e", "0", "|  one"],
    ["  on|e", "^", "  |one"],
    ["|one\ntwo", "$", "on|e\ntwo"],
    ["|one\ntwo", "2$", "one\ntw|o"],
    ["a|b\ncd\nef", "j", "ab\nc|d\nef"],
    ["ab\ncd\ne|f", "2k", "a|b\ncd\nef"],
    ["ab\nc|d\nef", "gg", "|ab\ncd\nef"],
    ["|ab\ncd\n  ef", "G", "ab\ncd\n  |ef"],
    ["|ab\ncd\nef", "2G", "ab\n|cd\nef"],
    ["|a,b,c", "f,", "a|,b,c"],
    ["|a,b,c", "2f,", "a,b|,c"],
    ["|a,b,c", "f,;", "a,b|,c"],
    ["|a,b,c", "f,;,", "a|,b,c"],
    ["|ab,cd,ef", "t,", "a|b,cd,ef"],
    ["|ab,cd,ef", "t,;", "ab,c|d,ef"],
    ["ab,cd|,ef", "F,", "ab|,cd,ef"],
    ["ab,c|d", "T,", "ab,|cd"],
    ["|abc", "fx", "|abc"],
    ["|f(a, (b))", "%", "f(a, (b)|)"],
    ["f(a, (b)|)", "%", "f|(a, (b))"],
    ["|one\n\ntwo", "}", "one\n|\ntwo"],
    ["one\n\ntw|o", "{", "one\n|\ntwo"],
    ["a|👨‍👩‍👧é日", "l", "a👨‍👩‍👧|é日"],
    ["a👨‍👩‍👧é|日", "2h", "a|👨‍👩‍👧é日"],
    ["|日本 語", "w", "日本 |語"],
  ])("%s %s", (before, keys, expected) => {
    expect(shown(typed(normal(before), keys))).toBe(expected)
  })
})

describe("changing", () => {
  test.each([
    ["|one two three", "dw", "|two three"],
    ["|one two three", "d2w", "|three"],
    ["|one two three", "2dw", "|three"],
    ["one |two\nthree", "dw", "one| \nthree"],
    ["one t|wo three", "db", "one |wo three"],
    ["|one two", "de", "| two"],
    ["one |two three", "d$", "one| "],
    ["one |two three", "D", "one| "],
    ["one |two three", "d0", "|two three"],
    ["|a,b,c", "dt,", "|,b,c"],
    ["|a,b,c", "df,", "|b,c"],
    ["a,b|,c", "dF,", "a|,c"],
    ["a|b\ncd\nef", "dd", "|cd\nef"],
    ["ab\ncd\n|ef", "dd", "ab\n|cd"],
    ["|ab", "dd", "|"],
    ["a|b\ncd\nef", "2dd", "|ef"],
    ["a|b\ncd\nef", "dj", "|ef"],
    ["ab\ncd\ne|f", "dgg", "|"],
    ["ab\nc|d\nef", "dG", "|ab"],
    ["one two| three", "x", "one two|three"],
    ["o|ne", "2x", "|o"],
    ["on|e", "9x", "o|n"],
    ["o|ne", "X", "|ne"],
    ["o|ne two", "rX", "o|Xe two"],
    ["|one", "2rX", "X|Xe"],
    ["|one", "4rX", "|one"],
    ["|one", "~", "O|ne"],
    ["|oNe", "9~", "On|E"],
    ["|one\n  two", "J", "one| two"],
    ["|a\nb\nc\nd", "3J", "a b| c\nd"],
    ["say |(one (two) three)", "di(", "say (|)"],
    ["say (one (t|wo) three)", "di(", "say (one (|) three)"],
    ["say (one |(two) three)", "da(", "say (one | three)"],
    ["a [b| c] d", "dib", "a [b| c] d"],
    ["a [b| c] d", "di[", "a [|] d"],
    ["a {b| c} d", "daB", "a | d"],
    ['say "on|e two" now', 'di"', 'say "|" now'],
    ['|say "one two" now', 'di"', 'say "|" now'],
    ['say "on|e two" now', 'da"', "say |now"],
    ["say 'a\\'b|c'", "di'", "say '|'"],
    ["one tw|o three", "diw", "one | three"],
    ["one tw|o three", "daw", "one |three"],
    ["one tw|o", "daw", "on|e"],
    ["a foo.b|ar c", "diW", "a | c"],
    ["a👨‍👩‍👧|é日", "x", "a👨‍👩‍👧|日"],
    ["a|👨‍👩‍👧é日", "x", "a|é日"],
  ])("%s %s", (before, keys, expected) => {
    expect(shown(typed(normal(before), keys))).toBe(expected)
  })
})

describe("writing", () => {
  test.each([
    ["o|ne", "ix", "ox|ne"],
    ["o|ne", "ax", "onx|e"],
    ["  o|ne", "Ix", "  x|one"],
    ["o|ne", "Ax", "onex|"],
    ["o|ne\ntwo", "ox", "one\nx|\ntwo"],
    ["one\nt|wo", "Ox", "one\nx|\ntwo"],
    ["|one two", "cwx", "x| two"],
    ["on|e two", "cwx", "onx| two"],
    ["|one two three", "2cwx", "x| three"],
    ["one |two", "Cx", "one x|"],
    ["o|ne\ntwo", "ccx", "x|\ntwo"],
    ["o|ne\ntwo", "Sx", "x|\ntwo"],
    ["o|ne", "sxy", "oxy|e"],
    ["say (o|ne)", "ci(two", "say (two|)"],
    ['say "" |', 'ci"x', 'say "" |'],
    ['|say ""', 'ci"x', 'say "x|"'],
    ["one", "$", "on|e"],
  ])("%s %s", (before, keys, expected) => {
    expect(shown(typed(normal(before), keys))).toBe(expected)
  })

  test("escape ends it, one character back", () => {
    expect(shown(typed(normal("|one"), `Atwo${escape}`))).toBe("onetw|o")
    expect(shown(typed(normal("|one"), `i${escape}`))).toBe("|one")
  })
})

describe("copying", () => {
  test.each([
    ["|one two", "ywP", "one| one two"],
    ["|one two", "yw$p", "one twoone| "],
    ["|one\ntwo", "yyjp", "one\ntwo\n|one"],
    ["one\n|two", "yyP", "one\n|two\ntwo"],
    ["|one\ntwo", "ddp", "two\n|one"],
    ["a|b", "xP", "|ba"],
    ["|ab", "xp", "b|a"],
    ["|ab", "x3p", "baa|a"],
    ["one| two", "yiwp", "one | two"],
    ["|one", "p", "|one"],
  ])("%s %s", (before, keys, expected) => {
    expect(shown(typed(normal(before), keys))).toBe(expected)
  })
})

describe("once more and back", () => {
  test.each([
    ["|one two three", "dw.", "|three"],
    ["|a b c", `cwxx${escape}w.`, "xx x|x c"],
    ["|one", `Ax${escape}.`, "onex|x"],
    ["|a\nb", `ox${escape}.`, "a\nx\n|x\nb"],
    ["|abc", "rx.", "|xbc"],
    ["|one two", "dwu", "|one two"],
    ["|one two three", "dwdw2u", "|one two three"],
    ["|one", `Atwo three four${escape}u`, "|one"],
    ["|one", `Ax${escape}.u`, "one|x"],
    ["|one", ".", "|one"],
    ["|one", "u", "|one"],
  ])("%s %j", (before, keys, expected) => {
    expect(shown(typed(normal(before), keys))).toBe(expected)
  })

  test("ctrl+r does again what was undone", () => {
    expect(shown(after(typed(normal("|one two"), "dwu"), key("ctrl+r")))).toBe("|two")
  })
})

test("letters that mean nothing are forgotten, and a half command waits", () => {
  expect(typed(normal("|one"), "d").vim?.pending).toBe("d")
  expect(typed(normal("|one"), "2d3i").vim?.pending).toBe("2d3i")
  expect(shown(typed(normal("|one two"), "dqx"))).toBe("|ne two")
  expect(shown(typed(normal("|one two"), `d${escape}x`))).toBe("|ne two")
})

test("a portion of several letters is the same as one after the other", () => {
  expect(shown(after(normal("|one two"), text("cwnew")))).toBe("new| two")
})

describe("selecting", () => {
  /** What is selected in brackets. */
  const chosen = (editor: Editor): string => {
    const { text: all } = editor.buffer
    const span = selectionOf(editor.buffer, editor.vim)
    return span ? `${all.slice(0, span.from)}[${all.slice(span.from, span.to)}]${all.slice(span.to)}` : all
  }

  test.each([
    ["one |two three", "v", "one [t]wo three"],
    ["one |two three", "ve", "one [two] three"],
    ["one |two three", "vb", "[one t]wo three"],
    ["one |two three", "v2l", "one [two] three"],
    ["one |two three", "v$", "one [two three]"],
    ["one |two three", "vfr", "one [two thr]ee"],
    ["one |two three", "ve;", "one [two] three"],
    ["one t|wo three", "viw", "one [two] three"],
    ["one t|wo three", "vaw", "one [two ]three"],
    ["one |two three", "vlliw", "one [two] three"],
    ['say "a (b|c) d"', 'vi"', 'say "[a (bc) d]"'],
    ["say (b|c) d", "va(", "say [(bc)] d"],
    ["one |two three", "veohh", "on[e two] three"],
    ["a\nb|b\nc", "V", "a\n[bb]\nc"],
    ["a\nb|b\nc", "Vk", "[a\nbb]\nc"],
    ["a\nb|b\nc", "VG", "a\n[bb\nc]"],
    ["a\nb|b\nc", "vV", "a\n[bb]\nc"],
    ["a\nb|b\nc", "Vv", "a\nb[b]\nc"],
    ["|a\nb", "vkkk", "[a]\nb"],
    ["|héllo 👩‍👩‍👧 x", "v6l", "[héllo 👩‍👩‍👧] x"],
    ["one |two", "viz", "one [t]wo"],
  ])("%j, %s", (marked, keys, expected) => {
    expect(chosen(typed(normal(marked), keys))).toBe(expected)
  })

  test.each([
    ["one |two three", "ved", "one | three"],
    ["one |two three", "vex", "one | three"],
    ["one |two three", "vec2\u001b", "one |2 three"],
    ["one |two three", "vey$p", "one two threetw|o"],
    ["one |two three", "ve~", "one |TWO three"],
    ["one |TWO three", "veu", "one |two three"],
    ["one |two three", "veU", "one |TWO three"],
    ["one |two three", "verx", "one |xxx three"],
    ["|one\ntwo\nthree", "vjJ", "one| two\nthree"],
    ["|one\ntwo\nthree", "VGJ", "one two| three"],
    ["|one\ntwo", "vJ", "one| two"],
    ["|one\n\ntwo", "VG>", "  |one\n\n  two"],
    ["|one\ntwo", "V2>", "    |one\ntwo"],
    ["    |one\n two\n\tx", "VG<", "  |one\ntwo\nx"],
    ["a\n|b\nc", "Vd", "a\n|c"],
    ["a\n|b\nc", "Vjd", "|a"],
    ["a\n|b\nc", "Vcx\u001b", "a\n|x\nc"],
    ["a|b\nc", "vD", "|c"],
    ["|one two", "yewvep", "one on|e"],
    ["|one two", "yewvepvbp", "one tw|o"],
    ["|one two", "yewvePa \u001bp", "one one on|e"],
    ["|a\nb", "yyjVp", "a\n|a"],
    ["|a\nbc", "yyjvp", "a\n\n|a\nc"],
    ["o|ne", "vp", "o|ne"],
    ["one |two", "v\u001bx", "one |wo"],
    ["one |two", "vvx", "one |wo"],
  ])("%j, %s", (marked, keys, expected) => {
    const done = typed(normal(marked), keys)
    expect(shown(done)).toBe(expected)
  })

  test("what was done to a selection is done again by . and taken back by u", () => {
    expect(shown(typed(normal("|abc def ghi"), "vedw."))).toBe(" | ghi")
    expect(shown(typed(normal("|a\nb\nc\nd\ne"), "Vjd."))).toBe("|e")
    expect(shown(typed(normal("|abcdef"), "vlcX\u001bl."))).toBe("X|Xef")
    expect(shown(typed(normal("one |two three"), "vedu"))).toBe("one |two three")
  })

  test("the mode says so, and ends with Esc, with a change, and when the text is sent", () => {
    const mode = (keys: string): string | undefined => typed(normal("|one two"), keys).vim?.mode
    expect([mode("v"), mode("V"), mode("v\u001b"), mode("vd"), mode("vc"), mode("vy")]).toEqual([
      "visual",
      "visual line",
      "normal",
      "normal",
      "insert",
      "normal",
    ])
    expect(sent(typed(normal("|one two"), "v$")).vim?.mode).toBe("normal")
    expect(after(typed(normal("|one two"), "v$"), { kind: "paste", text: "x" }).vim?.mode).toBe("normal")
  })

  test("the selection is drawn inverse, over rows and empty lines", () => {
    const rows = (keys: string): readonly string[] => {
      const { buffer, vim } = typed(normal("|one two\n\nlast"), keys)
      return editorRows(buffer, 40, 10, ">", selectionOf(buffer, vim)).rows
    }
    const on = "\u001b[7m"
    const off = "\u001b[27m"
    expect(rows("wv")).toEqual([`> one ${on}t${off}wo`, "", "  last"])
    expect(rows("wvG")).toEqual([`> one ${on}two ${off}`, `  ${on} ${off}`, `  ${on}l${off}ast`])
    expect(rows("")).toEqual(["> one two", "", "  last"])
  })
})

test("any keys keep the cursor on an edge inside the text, and undo leads back", () => {
  const words = fc.constantFrom(
    ..."hjklwbeWBE0^$GfFtT;,{}%dcyxXpPu.oOAIai~JDCYsSrvVvV><U\"'`()[]{}<>123g \u001b\u001b\u001b",
  )
  const named = fc
    .constantFrom(
      ..."left right up down home end backspace delete ctrl+j ctrl+w ctrl+u ctrl+k ctrl+y ctrl+_ ctrl+r".split(" "),
    )
    .map(key)
  const letter = words.map((given) => (given === escape ? key("escape") : text(given)))
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }).map(text)
  const paste = fc.string({ maxLength: 8 }).map((given): Key => ({ kind: "paste", text: given }))
  const any = fc.oneof({ weight: 12, arbitrary: letter }, { weight: 2, arbitrary: named }, word, paste)
  const start = fc.string({ unit: "grapheme", maxLength: 40 })
  const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" })
  fc.assert(
    fc.property(start, fc.array(any, { maxLength: 60 }), (given, keys) => {
      let editor: Editor = after(
        replaced(toggledVim(emptyEditor), `${given}\nsay "one (two)" {three}\n\n  end`),
        key("escape"),
      )
      for (const pressed of keys) {
        editor = after(editor, pressed)
        const { at, text: all } = editor.buffer
        const edges = [...segments.segment(all)].map(({ index }) => index)
        expect(at === all.length || edges.includes(at)).toBe(true)
      }
      const back = after(editor, key("escape"))
      expect(isNormal(back)).toBe(true)
      const { at, text: all } = back.buffer
      // Never behind the last character of a line.
      expect(all === "" || at === 0 || all[at - 1] === "\n" || (at < all.length && all[at] !== "\n")).toBe(true)
    }),
    { numRuns: 800 },
  )
})
