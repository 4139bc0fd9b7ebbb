/** How arguments are read: both spellings, lists, mistakes. */

import { describe, expect, test } from "bun:test"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import { type FlagName, flags } from "#faces/cli/flags/flags.ts"
import { foreignFlags, foreignIn } from "#faces/cli/flags/foreign-flags.ts"

function read(...argv: string[]): Arguments<FlagName> {
  const parsed = parseArguments(argv, flags)
  if (!parsed.ok) throw new Error(parsed.failure.message)
  return parsed.value
}

function complaint(...argv: string[]): string {
  const parsed = parseArguments(argv, flags)
  return parsed.ok ? "" : parsed.failure.message
}

describe("values", () => {
  test("follow as the next word or after =; the last one counts", () => {
    const args = read("--model", "opus", "--model=haiku", "--max-turns", "3", "hello", "there")
    expect(args.value("model")).toBe("haiku")
    expect(args.value("max-turns")).toBe("3")
    expect(args.value("session-id")).toBeUndefined()
    expect(args.rest).toEqual(["hello", "there"])
  })

  test("may begin with a dash, be empty, and hold an equals sign", () => {
    const args = read("--system-prompt", "- be brief", "--setting-sources=", "--append-system-prompt=a=b")
    expect(args.value("system-prompt")).toBe("- be brief")
    expect(args.has("setting-sources")).toBe(true)
    expect(args.value("setting-sources")).toBe("")
    expect(args.value("append-system-prompt")).toBe("a=b")
    expect(read("--setting-sources", "").value("setting-sources")).toBe("")
  })

  test("are missing when a flag stands in their place", () => {
    expect(complaint("--model", "--verbose")).toBe("option '--model <model>' needs a value")
    expect(complaint("--model", "-p")).toBe("option '--model <model>' needs a value")
    expect(complaint("--model")).toBe("option '--model <model>' needs a value")
    expect(read("--model=--verbose").value("model")).toBe("--verbose")
  })

  test("are held against the choices", () => {
    expect(complaint("--output-format=xml")).toBe(
      "option '--output-format': 'xml' is not one of text, json, stream-json",
    )
    expect(complaint("--output-format", "jsno")).toBe(
      "option '--output-format': 'jsno' is not one of text, json, stream-json (did you mean json?)",
    )
    expect(complaint("--input-format=")).toBe("option '--input-format': '' is not one of text, stream-json")
    expect(read("--permission-mode", "manual").value("permission-mode")).toBe("manual")
  })
})

describe("lists", () => {
  test("of rules: several words, commas, repeats, both names; parentheses hold together", () => {
    const args = read(
      "--allowed-tools",
      "Read,Edit",
      "Bash(git log, -n 1)",
      "--verbose",
      "--allowedTools=Write Grep",
      "--disallowedTools",
      "Bash(rm (a), b)",
    )
    expect(args.list("allowed-tools")).toEqual(["Read", "Edit", "Bash(git log, -n 1)", "Write", "Grep"])
    expect(args.list("disallowed-tools")).toEqual(["Bash(rm (a), b)"])
    expect(args.has("verbose")).toBe(true)
  })

  test("of folders: a comma or a space belongs to the name", () => {
    const args = read("--add-dir", "/a, b", "/c d", "--add-dir=/e", "-p", "hello")
    expect(args.list("add-dir")).toEqual(["/a, b", "/c d", "/e"])
    expect(args.rest).toEqual(["hello"])
  })

  test("do not swallow flags, and want at least one value", () => {
    expect(complaint("--add-dir", "--verbose")).toBe("option '--add-dir <folders>' needs a value")
    expect(read("--allowed-tools=").list("allowed-tools")).toEqual([])
    for (const flag of ["allowed-tools", "disallowed-tools", "tools", "add-dir", "mcp-config", "betas"] as const) {
      const args = read(`--${flag}`, "one", "two", "-p", "hello")
      expect(args.list(flag)).toEqual(["one", "two"])
      expect(args.rest).toEqual(["hello"])
    }
  })

  test("may be empty on purpose, in both spellings", () => {
    for (const argv of [["--tools="], ["--tools", ""], ["--tools", "", "-p"]]) {
      const args = read(...argv)
      expect(args.has("tools")).toBe(true)
      expect(args.list("tools")).toEqual([])
    }
    expect(read("-p").has("tools")).toBe(false)
  })
})

describe("what may have a value", () => {
  test("--resume takes the next word unless it is a flag; --debug only after =", () => {
    expect(read("--resume", "abc").value("resume")).toBe("abc")
    expect(read("-r", "-p").value("resume")).toBe("")
    expect(read("-r").value("resume")).toBe("")
    const args = read("-d", "hello", "--debug=prompt")
    expect(args.value("debug")).toBe("prompt")
    expect(args.rest).toEqual(["hello"])
  })

  test("a switch takes true and false, for programs that always write a value", () => {
    expect(read("--verbose=true").has("verbose")).toBe(true)
    expect(read("--verbose=false").has("verbose")).toBe(false)
    expect(complaint("--verbose=maybe")).toBe("option '--verbose' takes no value")
  })
})

test("short switches may be written together, and a value stays whole", () => {
  const args = read("-pc", "--append-system-prompt", "-pc", "--", "-cp")
  expect([args.has("print"), args.has("continue")]).toEqual([true, true])
  expect(args.value("append-system-prompt")).toBe("-pc")
  expect(args.rest).toEqual(["-cp"])
  expect(complaint("-pr")).toStartWith("unknown option '-pr'")
  expect(complaint("-px")).toStartWith("unknown option '-px'")
})

describe("flags of Claude Code that are not followed", () => {
  const said = (...argv: string[]) => {
    const parsed = parseArguments<string>(argv, [...flags, ...foreignFlags])
    if (!parsed.ok) throw new Error(parsed.failure.message)
    return { ...foreignIn(parsed.value), rest: parsed.value.rest }
  }

  test("are ignored with a note, or refused with what to do instead; their values are not the prompt", () => {
    expect(said("--no-chrome", "--task-budget=1000", "--system-prompt-snapshot", "off", "hello")).toEqual({
      refused: undefined,
      notes: [
        "Ignoring --no-chrome: there is no browser.",
        "Ignoring --system-prompt-snapshot: a resumed session always gets the current system prompt.",
        "Ignoring --task-budget: use --max-budget-tokens to limit tokens.",
      ],
      rest: ["hello"],
    })
    expect(said("--rewind-files", "mine", "-p", "hello")).toEqual({
      refused: "--rewind-files is not supported. Use codewright rewind.",
      notes: [],
      rest: ["hello"],
    })
  })

  test("a word with spaces is the prompt, and not the name of a worktree", () => {
    const parsed = parseArguments(["-w", "fix it", "-p"], flags)
    const named = parseArguments(["-w", "fix", "it"], flags)
    expect(parsed.ok && [parsed.value.value("worktree"), parsed.value.rest]).toEqual(["", ["fix it"]])
    expect(named.ok && [named.value.value("worktree"), named.value.rest]).toEqual(["fix", ["it"]])
  })

  test("are none that we follow, and none twice", () => {
    const names = [...flags, ...foreignFlags].flatMap(({ name, also = [] }) => [`--${name}`, ...also])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})

test("after -- everything is rest, and a lone dash is too", () => {
  const args = read("-p", "-", "--", "--model", "--", "-x")
  expect(args.rest).toEqual(["-", "--model", "--", "-x"])
  expect(args.has("model")).toBe(false)
})

test("an unknown flag is named with the nearest, when there is a near one", () => {
  expect(complaint("--permision-mode", "plan")).toBe(
    "unknown option '--permision-mode' (did you mean --permission-mode?); see --help",
  )
  expect(complaint("--zzzzzzzz=1")).toBe("unknown option '--zzzzzzzz'; see --help")
})
