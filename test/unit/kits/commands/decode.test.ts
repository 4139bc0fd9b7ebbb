/** The heads of files, in every state that people leave them in. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { CommandDefinition } from "#agent/words/command.ts"
import { openCatalog } from "#kits/commands/catalog.ts"
import { type CommandFile, decodeCommand } from "#kits/commands/decode.ts"
import { commandIn } from "#kits/commands/recognise.ts"

const file = (text: string, more: Partial<CommandFile> = {}): CommandFile => ({
  name: "x",
  kind: "command",
  source: "project",
  path: "/p/x.md",
  text: () => text,
  ...more,
})
const wrongWith = (rule: string) => (/^\w+(\(.+\))?$/.test(rule) ? undefined : `${rule} is not a rule`)
const read = (text: string) => decodeCommand(file(text), text, wrongWith)
function decoded(text: string): CommandDefinition {
  const result = read(text)
  if (!result.ok) throw new Error(result.failure)
  return result.value
}

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
  expect(decoded("---\nname: x\nshell: zsh\nallowed-tool: Bash\n---\nx").problems).toEqual([
    "/p/x.md: shell is not supported yet.",
    "/p/x.md: there is no field allowed-tool; did you mean allowed-tools?",
  ])
})

test.each([
  ["disable-model-invocation: perhaps", "line 3: disable-model-invocation must be true or false, not perhaps."],
  ["user-invocable: [no]", 'line 3: user-invocable must be true or false, not ["no"].'],
  ["disallowed-tools: Bash(", "Bash( is not a rule."],
  ["disallowed-tools: {Bash: [rm]}", 'line 3: disallowed-tools must be a list of names, not {"Bash":["rm"]}.'],
  ["disalowed-tools: Bash", "line 3: there is no field disalowed-tools; did you mean disallowed-tools?"],
  ["context: forked\nagent: Explore", "it names the agent Explore, and its context can only be fork, not forked."],
])("a limit that cannot be kept rejects the file: %s", (line, why) => {
  expect(read(`---\nname: x\n${line}\n---\nx`)).toEqual({
    ok: false,
    failure: `/p/x.md: this command is left out: ${why}`,
  })
})

test("hooks are kept by event, and a file whose hooks have no shape is left out", () => {
  const head = (hooks: string) => `---\nallowed-tools: Bash\nhooks:${hooks}\n---\nx`
  expect(decoded(head("\n  Stop:\n    - type: command\n      command: ls"))).toMatchObject({
    allowedTools: ["Bash"],
    hooks: { Stop: [{ hooks: [{ type: "command", command: "ls" }] }] },
    problems: [],
  })
  expect(read(head(" everything"))).toEqual({
    ok: false,
    failure: "/p/x.md: this command is left out: hooks must be lists of hooks by event, as in settings.",
  })
})

test("nothing that stands in a file breaks it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.boolean(), (text, hasHead) => {
      const whole = hasHead ? `---\n${text}\n---\nbody` : text
      const result = read(whole)
      if (!result.ok) return expect(result.failure).toStartWith("/p/x.md: this command is left out: ")
      expect(typeof result.value.body).toBe("string")
      expect(result.value.problems.every((problem) => problem.startsWith("/p/x.md: "))).toBe(true)
    }),
  )
})

test("commands are a slash, a name and words; the rest is text", () => {
  const text = (said: string) => commandIn([{ type: "text", text: said }])
  expect(text(" /a:b-c  two words \n")).toEqual({ name: "a:b-c", args: "two words", typed: "/a:b-c  two words" })
  expect(text("/a\nmore\nlines")).toMatchObject({ name: "a", args: "more\nlines" })
  for (const plain of ["", "/", "/ a", "//a", "/a/b", "/a/b c", "a /b", "/-a", "/*", "/，"])
    expect(text(plain)).toBeUndefined()
  expect(text("/e\u0301 x")).toMatchObject({ name: "é", args: "x" })
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
    const catalog = openCatalog({ files: () => files, trusted, wrongWith }, () => {})
    return ["a", "b", "c", "d"].map((name) => catalog.find(name)?.source)
  }
  expect(at(true)).toEqual(["project", "project", "user", undefined])
  expect(at(false)).toEqual(["user", "project", "user", undefined])
})

test("what is new is found at once, what is gone is not; what allows more than at the start is not settled", () => {
  let files = [named("a", "user", "---\nallowed-tools: Read, Bash(ls)\n---\nx")]
  const catalog = openCatalog({ files: () => files, trusted: true, wrongWith }, () => {})
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

test("a file that was rejected keeps its name, says why, and is found once it is right", () => {
  let text = "---\ndisallowed-tools: Bash(\n---\nx"
  const told: string[] = []
  const files = [file("", { name: "a", text: () => text }), named("a", "user")]
  const catalog = openCatalog({ files: () => files, trusted: true, wrongWith }, (why) => told.push(why))
  expect([catalog.find("a"), catalog.list()]).toEqual([undefined, []])
  expect(catalog.rejected("a")).toBe("/p/x.md: this command is left out: Bash( is not a rule.")
  expect(new Set(told)).toEqual(new Set([catalog.rejected("a") ?? ""]))
  text = "---\ndisallowed-tools: Bash\n---\nx"
  expect(catalog.find("a")).toMatchObject({ source: "project", disallowedTools: ["Bash"] })
  expect(catalog.rejected("a")).toBeUndefined()
})
