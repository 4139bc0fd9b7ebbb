/** Keys and what they do: the defaults, the person's own over them, and what is wrong with a binding. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { keyLabel, keyName, readKeys } from "#faces/tui/key-names.ts"
import { type ActionName, actions, defaultKeymap, type Keymap, readKeymap } from "#faces/tui/keymap.ts"
import type { Key } from "#faces/tui/keys.ts"

const key = (name: string): Key => (name.length === 1 ? { kind: "text", text: name } : { kind: "key", name })

/** What a sequence of keys comes to. */
function found(keymap: Keymap, keys: string): readonly ActionName[] | "continues" | "nothing" {
  let held = ""
  for (const name of keys.split(" ")) {
    const next = keymap.find(held, key(name))
    if (next.kind === "actions") return next.names
    if (next.kind === "nothing") return "nothing"
    held = next.held
  }
  return "continues"
}

test("every default key is written as keys are, and leads to its action", () => {
  for (const { name, keys } of actions)
    for (const written of keys) {
      expect(readKeys(written)).toEqual({ ok: true, value: written })
      expect(found(defaultKeymap, written)).toContain(name)
    }
})

test("keys as the help writes them can be written into the settings", () => {
  for (const { keys } of actions)
    for (const written of keys) expect(readKeys(keyLabel(written))).toEqual({ ok: true, value: written })
  expect(["ctrl+x ctrl+e", "escape", "?", "f1", "shift+tab", "ctrl+shift+-"].map(keyLabel)).toEqual([
    "Ctrl+X Ctrl+E",
    "Esc",
    "?",
    "F1",
    "Shift+Tab",
    "Ctrl+Shift+-",
  ])
})

test("no default key begins another", () => {
  const all = actions.flatMap(({ keys }) => keys)
  for (const one of all) expect(all.filter((other) => other.startsWith(`${one} `))).toEqual([])
})

test("a key with two meanings asks the face first", () => {
  expect(found(defaultKeymap, "ctrl+b")).toEqual(["to-background", "left"])
  expect(found(defaultKeymap, "ctrl+d")).toEqual(["leave", "delete-right"])
  expect(found(defaultKeymap, "ctrl+x")).toBe("continues")
  expect(found(defaultKeymap, "ctrl+x ctrl+e")).toEqual(["edit-outside"])
  expect(found(defaultKeymap, "ctrl+x q")).toBe("nothing")
})

test("the person's own bindings count, whatever way they are written", () => {
  const { keymap, warnings } = readKeymap({
    "Ctrl+T": "swap-characters",
    "shift+ctrl+f5": "redraw",
    "ctrl+g": null,
    "ctrl+x  s": "stash",
    "Meta+Return": "send",
    "ctrl++": "redo",
  })
  expect(warnings).toEqual([])
  expect(
    ["ctrl+t", "ctrl+shift+f5", "ctrl+g", "ctrl+x s", "ctrl+x ctrl+e", "alt+enter", "ctrl++"].map((keys) =>
      found(keymap, keys),
    ),
  ).toEqual([["swap-characters"], ["redraw"], "nothing", ["stash"], ["edit-outside"], ["send"], ["redo"]])
  expect(keymap.keysOf("stash")).toEqual(["ctrl+x s", "ctrl+s"])
  expect(keymap.keysOf("new-line")).toEqual(["ctrl+j", "shift+enter"])
})

test("a sequence hides what its first key did, and a key hides the sequences it begins", () => {
  expect(found(readKeymap({ "ctrl+a ctrl+b": "undo" }).keymap, "ctrl+a")).toBe("continues")
  expect(found(readKeymap({ "ctrl+x": "undo" }).keymap, "ctrl+x")).toEqual(["undo"])
})

test.each([
  [{ "ctrl+q": "sned" }, 'ctrl+q is bound to "sned", which is not an action. Did you mean send?'],
  [{ "ctrl+q": "quantum" }, 'ctrl+q is bound to "quantum", which is not an action. /keys lists them.'],
  [{ "ctrl+q": 3 }, "ctrl+q is bound to 3, which is not an action. Use the name of an action, or null."],
  [{ "ctrl+q": ["send"] }, 'ctrl+q is bound to ["send"], which is not an action. Use the name of an action, or null.'],
  [{ "ctrl+entr": "send" }, "ctrl+entr is not a key. Did you mean ctrl+enter?"],
  [{ "cmd+k": "send" }, "cmd+k has cmd+, which is not a modifier. Use ctrl+, alt+ or shift+."],
  [{ "ctrl+": "send" }, "ctrl+ is not a key."],
  [{ "": "send" }, "is not a key."],
  [{ a: "send" }, '"a" is a plain letter; add ctrl+ or alt+ before it.'],
  [{ "ctrl+c": "send" }, "ctrl+c cannot be bound; Ctrl+C always interrupts and quits."],
  [
    { "ctrl+q": "send", "ctrl+q a": "undo" },
    "ctrl+q is the start of ctrl+q a, so the longer binding is never reached.",
  ],
] as const)("%j", (bindings, words) => {
  const { warnings } = readKeymap(bindings)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toStartWith("keybindings: ")
  expect(warnings[0]).toContain(words)
})

test("any names of keys and actions are read or complained about, and ctrl+c stays", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "ctrl+__proto__")),
        fc.oneof(fc.string(), fc.constant(null), fc.integer()),
      ),
      (bindings) => {
        const { keymap } = readKeymap(bindings)
        expect(found(keymap, "ctrl+c")).toEqual(["cancel"])
      },
    ),
  )
})

test("what one types is no key of a binding, but a single sign is", () => {
  expect(["?", " ", "ab", "日"].map((text) => keyName({ kind: "text", text }))).toEqual(["?", "space", undefined, "日"])
  expect(keyName({ kind: "paste", text: "?" })).toBeUndefined()
  expect(keyName({ kind: "key", name: "alt+ " })).toBe("alt+space")
})
