/** Everything that can be wrong with how the program is started: each gets the right code and one clear line, never a stack. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { openPlace, type RunOptions, runCodewright } from "../../kit/run-codewright.ts"
import { promptOf } from "../../kit/sent.ts"

/** The one line that is said. Nothing was sent, nothing was written on standard output. */
async function complaint(options: RunOptions, code = 1): Promise<string> {
  const run = await runCodewright(options)
  expect({ code: run.code, stdout: run.stdout, requests: run.requests }).toEqual({ code, stdout: "", requests: [] })
  expect(run.stderr).toMatch(/^error: [^\n]+\n$/)
  expect(run.stderr).not.toMatch(/\bat .+:\d+:\d+|mistake of its own/)
  return run.stderr.slice("error: ".length, -1)
}

describe("flags", () => {
  const flags: { readonly [name: string]: { readonly argv: readonly string[]; readonly says: string } } = {
    "an unknown one, with the nearest": {
      argv: ["-p", "x", "--verbos"],
      says: "unknown option '--verbos' (did you mean --verbose?); see --help",
    },
    "a bad choice": {
      argv: ["-p", "x", "--output-format", "xml"],
      says: "option '--output-format': 'xml' is not one of text, json, stream-json",
    },
    "a value that is missing at the end": {
      argv: ["-p", "x", "--model"],
      says: "option '--model <model>' needs a value",
    },
    "a blank prompt": {
      argv: ["-p", "  \n "],
      says: "Input must be provided either through stdin or as a prompt argument when using --print",
    },
    "a number that is none": {
      argv: ["-p", "x", "--max-tool-calls-per-turn", "0"],
      says: "--max-tool-calls-per-turn takes a whole number from 1 to 1000000000, not '0'.",
    },
    "a word for a number": {
      argv: ["-p", "x", "--max-turns", "many"],
      says: "--max-turns takes a whole number from 1 to 1000000000, not 'many'.",
    },
    "a source of settings that does not exist": {
      argv: ["-p", "x", "--setting-sources", "user,projekt"],
      says: '--setting-sources: there is no source "projekt"; did you mean project?',
    },
  }
  for (const [name, { argv, says }] of Object.entries(flags))
    test.concurrent(name, async () => {
      expect(await complaint({ argv: [...argv, "--detailed-exit-codes"] }, 2)).toBe(says)
    })

  test.concurrent("an added folder that does not exist, is a file, or cannot be a path", async () => {
    using place = openPlace({ "a.txt": "" })
    const says = (path: string): string => `The added folder ${path} does not exist or is not a folder.`
    expect(await complaint({ place, argv: ["-p", "x", "--add-dir", "gone"] })).toBe(says(join(place.work, "gone")))
    expect(await complaint({ place, argv: ["-p", "x", "--add-dir=a.txt"] })).toBe(says(join(place.work, "a.txt")))
    const withNul = '{"permissions": {"additionalDirectories": ["a\\u0000b"]}}'
    expect(await complaint({ place, argv: ["-p", "x", "--settings", withNul] })).toBe(says(join(place.work, "ab")))
  })
})

describe("settings", () => {
  const files: { readonly [name: string]: { readonly text: string; readonly says: RegExp } } = {
    "a syntax error": { text: '{\n  "model": "opus"\n  "env": {}\n}', says: /^.*settings\.json:3:3: / },
    "a guard that cannot be read": {
      text: '{"sandbox":\n {"limits": "few"}}',
      says: /^.*settings\.json:2:13: "sandbox\.limits" must be an object/,
    },
  }
  for (const [name, { text, says }] of Object.entries(files))
    test.concurrent(`${name} in the user's file stops the run, and the place is named`, async () => {
      using place = openPlace()
      place.write(join(place.state, "settings.json"), text)
      const said = await complaint({ place, argv: ["-p", "x"] })
      expect(said).toStartWith(join(place.state, "settings.json"))
      expect(said).toMatch(says)
    })

  test.concurrent(
    "one wrong entry of each kind that files have, and the run starts, with everything else in force",
    async () => {
      using place = openPlace({ "a.txt": "one\n" })
      const wrong = {
        hooks: { PostToolUse: "npx prettier --write" },
        permissions: {
          deny: ["Bash(curl:* | sh)", "Write"],
          additionalDirectories: ["../gone"],
          defaultMode: "askAlways",
        },
        autoCompact: { enabled: true },
      }
      place.write(join(place.state, "settings.json"), JSON.stringify(wrong))
      const run = await runCodewright({
        place,
        argv: ["-p", "x"],
        scenario: [{ content: [{ tool: "Write", input: { file_path: "b.txt", content: "two" } }] }, "Done."],
      })
      expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
      expect(existsSync(join(place.work, "b.txt"))).toBe(false)
      expect(run.stderr).toBe(
        "4 entries of your settings and files are ignored or read differently. See them with: codewright doctor\n",
      )
      const { stdout } = await runCodewright({ place, argv: ["doctor"] })
      for (const key of ["hooks.PostToolUse", "../gone", "permissions.defaultMode", "autoCompact"])
        expect(stdout).toContain(key)
    },
  )

  test.concurrent("--settings that is missing, broken, or a folder", async () => {
    using place = openPlace()
    expect(await complaint({ place, argv: ["-p", "x", "--settings", "gone.json"] })).toBe(
      `${join(place.work, "gone.json")}: There is no such file.`,
    )
    expect(await complaint({ place, argv: ["-p", "x", "--settings", "."] })).toBe(`${place.work}: This is not a file.`)
    expect(await complaint({ place, argv: ["-p", "x", "--settings", '{"model": }'] })).toStartWith("--settings:1:11: ")
  })

  test.concurrent("an unknown key is only named, with the nearest", async () => {
    const run = await runCodewright({ argv: ["-p", "x", "--settings", '{"modle": "haiku"}'], scenario: ["Yes."] })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n" })
    expect(run.stderr).toBe('--settings:1:2: There is no setting "modle"; did you mean "model"? It is ignored.\n')
  })

  test.concurrent("headers that cannot be sent are refused without showing them", async () => {
    const env = { ANTHROPIC_CUSTOM_HEADERS: "X-Good: 1\nsecret-without-a-name" }
    expect(await complaint({ argv: ["-p", "x"], env })).toBe(
      "ANTHROPIC_CUSTOM_HEADERS: line 2 is not of the form 'Name: value'.",
    )
  })
})

describe("standard input", () => {
  test.concurrent("binary", async () => {
    const says = "Standard input is not text (UTF-8). Save it to a file and name the file in the prompt."
    expect(await complaint({ argv: ["-p", "x"], stdin: new Uint8Array([0x50, 0, 0x4b]) })).toBe(says)
    expect(await complaint({ argv: ["-p"], stdin: new Uint8Array([0x61, 0xff, 0xfe, 0x62]) })).toBe(says)
  })

  test.concurrent("11 MB", async () => {
    const says = "Standard input is larger than 10 MB. Save it to a file and name the file in the prompt."
    expect(await complaint({ argv: ["-p", "x"], stdin: "x".repeat(11_000_000) })).toBe(says)
  })
})

/** The shell of the launcher may have its own say before, and the runtime of the executable instead. */
const noFolder =
  /error: The (?:working folder no longer exists\. Change to another folder|current working directory was deleted, .*)\.\n$/

describe("the surroundings", () => {
  test.concurrent("a state folder that cannot be made", async () => {
    using place = openPlace({ "in-the-way": "" })
    const env = { CODEWRIGHT_HOME: join(place.work, "in-the-way/state") }
    expect(await complaint({ place, argv: ["-p", "x"], env })).toMatch(
      /^The folder .*\/in-the-way\/state cannot be created \(ENOTDIR\)\. Set CODEWRIGHT_HOME to a folder that can be written\.$/,
    )
    const run = await runCodewright({
      place,
      argv: ["-p", "x", "--no-session-persistence", "--debug"],
      env,
      scenario: ["Yes."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n" })
    expect(run.stderr).toMatch(/^No debug log: .*\n$/)
  })

  test.concurrent("sessions that cannot be written", async () => {
    using place = openPlace()
    place.write(join(place.state, "projects"), "a file where a folder belongs")
    expect(await complaint({ place, argv: ["-p", "x"] })).toMatch(
      /^The session cannot be saved: .*--no-session-persistence/,
    )
  })

  test.concurrent("a working folder that was removed", async () => {
    using place = openPlace()
    mkdirSync(join(place.work, "gone"))
    const run = await runCodewright({ place, argv: ["-p", "hello"], wrap: 'cd gone && rmdir ../gone && exec "$@"' })
    expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
    expect(run.stderr).toMatch(noFolder)
    expect(run.stderr).not.toContain("mistake of its own")
  })

  test.concurrent("no command takes another folder for the removed one", async () => {
    using place = openPlace()
    for (const argv of [["trust"], ["doctor"], ["sessions"], ["permissions", "add", "allow", "Edit"]]) {
      mkdirSync(join(place.work, "gone"))
      const run = await runCodewright({ place, argv, wrap: 'cd gone && rmdir ../gone && exec "$@"' })
      expect(run).toMatchObject({ code: 1, stdout: "" })
      expect(run.stderr).toMatch(noFolder)
    }
    expect(existsSync(join(place.state, "trust.json"))).toBe(false)
  })

  test.concurrent("an answer that cannot be written is no success", async () => {
    const full = { scenario: ["Yes."], wrap: 'exec "$@" > /dev/full' }
    for (const argv of [["-p", "hello"], ["-p", "hello", "--output-format", "json"], ["--help"]]) {
      const run = await runCodewright({ argv, ...full })
      expect(run).toMatchObject({ code: 1, stdout: "" })
      expect(run.stderr).toMatch(/^error: The output could not be written \(ENOSPC[^\n]+\n$/)
    }
    const away = await runCodewright({ argv: ["--help"], wrap: '"$@" | head -n 1; exit "${PIPESTATUS[0]}"' })
    expect(away).toMatchObject({ code: 0, stderr: "" })
  })

  test.concurrent("broken UTF-8 in the environment and in the arguments", async () => {
    const run = await runCodewright({
      argv: ["-p"],
      wrap: `STRANGE=$'a\\377b' exec "$@" $'say \\377'`,
      scenario: ["Yes."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" })
    expect(run.requests.map(promptOf)).toEqual(["say \ufffd"])
  })

  test.concurrent("a model that cannot be reached", async () => {
    const run = await runCodewright({
      argv: ["-p", "x"],
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", CODEWRIGHT_MAX_RETRIES: "0" },
    })
    expect(run).toMatchObject({ code: 1, requests: [] })
    expect(run.stdout).toMatch(/^API Error: \S+ could not be reached: .*\n$/)
    expect(run.stderr).toBe(run.stdout)
  })

  test.concurrent("nonsense in the environment is named and does no harm", async () => {
    const run = await runCodewright({ argv: ["-p", "x"], env: { CODEWRIGHT_MAX_RETRIES: "lots" }, scenario: ["Yes."] })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n" })
    expect(run.stderr).toMatch(/^CODEWRIGHT_MAX_RETRIES is "lots"\..*\n$/)
    expect(run.requests.map(promptOf)).toEqual(["x"])
  })

  test.concurrent("links: a working folder reached through one is the real one", async () => {
    using place = openPlace()
    symlinkSync(place.work, join(place.path, "link"))
    const run = await runCodewright({ place, cwd: join(place.path, "link"), argv: ["-p", "x"], scenario: ["Yes."] })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" })
    expect(readdirSync(join(place.state, "projects"))).toEqual([place.work.replace(/[^A-Za-z0-9]/g, "-")])
  })
})

describe("codewright sim", () => {
  test.concurrent("a port that is in use", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    const said = await complaint({ argv: ["sim", "--port", String(port)] })
    await new Promise((resolve) => server.close(resolve))
    expect(said).toBe(`Port ${port} is in use. Choose another, or 0 for any that is free.`)
  })

  test.concurrent("a scenario that is missing, broken or wrong; a flag that does not exist", async () => {
    using place = openPlace({
      "broken.yaml": "replies:\n  - content: [\n",
      "wrong.yaml": "replies:\n  - contnet: hello\n",
    })
    expect(await complaint({ place, argv: ["sim", "--scenario", "gone.yaml"] })).toBe(
      "gone.yaml: there is no such file.",
    )
    expect(await complaint({ place, argv: ["sim", "--scenario", "broken.yaml"] })).toMatch(/^broken\.yaml: .*line \d/)
    expect(await complaint({ place, argv: ["sim", "--scenario=wrong.yaml"] })).toMatch(
      /^wrong\.yaml: .*unknown field contnet; did you mean content\?/,
    )
    expect(await complaint({ place, argv: ["sim", "--prot", "1"] })).toStartWith(
      "sim: unknown option '--prot' (did you mean --port?)",
    )
    expect(existsSync(place.state)).toBe(false)
  })
})
