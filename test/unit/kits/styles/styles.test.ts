/** Which output styles there are, and what a choice comes to. */

import { expect, test } from "bun:test"
import { openStyles } from "#kits/styles/styles.ts"
import { systemPrompt } from "#kits/context/system.ts"

const file = (name: string, text: string) => ({ name, path: `/s/${name}.md`, text: () => text })

function styles(name: string | undefined, files: ReturnType<typeof file>[] = []) {
  const warnings: string[] = []
  let looks = 0
  const opened = openStyles({
    name,
    files() {
      looks++
      return files
    },
    warn: (text) => warnings.push(text),
  })
  return { ...opened, warnings, looks: () => looks }
}

test("without a choice no file is looked at; a built-in name cannot be taken", () => {
  const usual = styles(undefined, [file("default", "mine")])
  expect([usual.chosen().text, usual.looks()]).toEqual(["", 0])
  expect(usual.list().find(({ name }) => name === "default")?.text).toBe("")
  expect(usual.names()).toEqual(["default", "explanatory", "learning"])
})

test("a file's own name counts, empty files are none, and letter case does not matter", () => {
  const own = styles("Pirate Talk", [
    file("p", "---\nname: pirate talk\ndescription: Arr\n---\nTalk so."),
    file("e", "---\nname: e\n---\n"),
  ])
  expect(own.chosen()).toEqual({ name: "pirate talk", description: "Arr", text: "Talk so.", keepsCoding: false })
  expect(own.names()).not.toContain("e")
})

test("one that there is not is named once, with those that are near, and the usual one is used", () => {
  const wrong = styles("explanatry")
  expect([wrong.chosen().name, wrong.chosen().name]).toEqual(["default", "default"])
  expect(wrong.warnings).toEqual([
    "There is no output style explanatry. Did you mean explanatory? The usual one is used.",
  ])
  expect(wrong.choose("nope")).toEqual({
    ok: false,
    failure: "There is no output style nope. There are default, explanatory, learning.",
  })
  expect(wrong.choose("Learning").ok).toBe(true)
  expect(wrong.chosen().name).toBe("learning")
})

test("a style takes the place of the tone, and of the words about tasks unless it keeps them", () => {
  const environment = {
    cwd: "/p",
    isGit: false,
    platform: "linux",
    shellName: "bash",
    osVersion: "1",
    date: "2026-01-01",
    model: "m",
  }
  const text = (style?: { name: string; text: string; keepsCoding: boolean }): string =>
    systemPrompt({ environment, tools: [], asks: "person", ...(style && { style }) })
      .map((part) => part.text)
      .join("\n")
  const has = (whole: string) =>
    ["# How to write", "# Doing tasks", "# Output style: s\nTalk so.", "# What to trust"].map((part) =>
      whole.includes(part),
    )
  expect(has(text())).toEqual([true, true, false, true])
  expect(has(text({ name: "s", text: "Talk so.", keepsCoding: true }))).toEqual([false, true, true, true])
  expect(has(text({ name: "s", text: "Talk so.", keepsCoding: false }))).toEqual([false, false, true, true])
})
