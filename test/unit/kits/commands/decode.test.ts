/** The heads of files, in every state that people leave them in. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openCatalog } from "#kits/commands/catalog.ts"
import { type CommandFile, decodeCommand } from "#kits/commands/decode.ts"
import { commandIn } from "#kits/commands/recognise.ts"
import { splitRuleList } from "#kits/permissions/rule.ts"

const file = (text: string, more: Partial<CommandFile> = {}): CommandFile => ({
  name: "x",
  kind: "command",
  source: "project",
  path: "/p/x.md",
  text: () => text,
  ...more,
})
const decoded = (text: string) => decodeCommand(file(text), text, splitRuleList)

test("a whole head", () => {
  expect(
    decoded(`---
description: Does it
when_to_use: Always
argument-hint: "[a] [b]"
allowed-tools: Bash(git add:*), Read
disallowed-tools:
  - WebFetch
model: opus
disable-model-invocation: true
user-invocable: false
context: fork
agent: Explore
paths: "src/{a,b}/**, *.ts"
---
Body`),
  ).toEqual({
    name: "x",
    kind: "command",
    source: "project",
    path: "/p/x.md",
    description: "Does it",
    whenToUse: "Always",
    takes: "[a] [b]",
    argumentNames: [],
    allowedTools: ["Bash(git add:*)", "Read"],
    disallowedTools: ["WebFetch"],
    model: "opus",
    isForModel: false,
    isForPerson: false,
    fork: { agent: "Explore" },
    paths: ["src/{a,b}/**", "*.ts"],
    body: "Body",
    problems: [],
  })
})

test("without a head, the first line says what it is about", () => {
  expect(decoded("\n# Fix an issue\n\nText")).toMatchObject({
    description: "Fix an issue",
    takes: "",
    isForModel: false,
  })
})

test("what is wrong is named with the file", () => {
  expect(decoded("---\ndisable-model-invocation: perhaps\neffort: high\nallowed-tool: Bash\n---\nx").problems).toEqual([
    "/p/x.md: effort is not followed yet.",
    "/p/x.md: there is no field allowed-tool; did you mean allowed-tools?",
    "/p/x.md: disable-model-invocation must be true or false, not perhaps.",
  ])
})

test("nothing that stands in a file breaks it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.boolean(), (text, hasHead) => {
      const whole = hasHead ? `---\n${text}\n---\nbody` : text
      const { problems, ...definition } = decoded(whole)
      expect(typeof definition.body).toBe("string")
      expect(problems.every((problem) => problem.startsWith("/p/x.md: "))).toBe(true)
    }),
  )
})

test("commands are a slash, a name and words; the rest is text", () => {
  const text = (said: string) => commandIn([{ type: "text", text: said }])
  expect(text(" /a:b-c  two words \n")).toEqual({ name: "a:b-c", args: "two words", typed: "/a:b-c  two words" })
  expect(text("/a\nmore\nlines")).toMatchObject({ name: "a", args: "more\nlines" })
  for (const plain of ["", "/", "/ a", "//a", "/a/b", "/a/b c", "a /b", "/é", "/*"]) expect(text(plain)).toBeUndefined()
  expect(
    commandIn([
      { type: "text", text: "/a" },
      { type: "text", text: "b" },
    ]),
  ).toBeUndefined()
})

const named = (name: string, source: CommandFile["source"], text: string = source): CommandFile =>
  file(text, { name, source })

test("of one name the project's counts, then the person's own, then ours; without trust the project takes no name", () => {
  const files = [
    named("a", "project"),
    named("b", "project"),
    named("a", "user"),
    named("c", "user"),
    named("c", "built-in"),
  ]
  const at = (trusted: boolean) => {
    const catalog = openCatalog({ files: () => files, trusted, splitRules: splitRuleList })
    return ["a", "b", "c", "d"].map((name) => catalog.find(name)?.source)
  }
  expect(at(true)).toEqual(["project", "project", "user", undefined])
  expect(at(false)).toEqual(["user", "project", "user", undefined])
})

test("what is new is found at once, what is gone is not; what allows more than at the start is not settled", () => {
  let files = [named("a", "user", "---\nallowed-tools: Read, Bash(ls)\n---\nx")]
  const catalog = openCatalog({ files: () => files, trusted: true, splitRules: splitRuleList })
  const found = (name: string) => catalog.find(name) ?? decoded("")
  expect(catalog.isSettled(found("a"))).toBe(false)
  catalog.settle()
  expect(catalog.isSettled(found("a"))).toBe(true)
  files = [
    named("a", "user", "---\nallowed-tools: Bash\n---\nx"),
    named("b", "user", "---\nallowed-tools: Read\n---\nx"),
  ]
  expect(catalog.find("b")?.name).toBe("b")
  catalog.settle()
  expect([catalog.isSettled(found("a")), catalog.isSettled(found("b"))]).toEqual([false, false])
  files = []
  catalog.forget()
  expect(catalog.find("a")).toBeUndefined()
})
