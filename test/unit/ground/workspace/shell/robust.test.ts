import { expect, test } from "bun:test"
import fc from "fast-check"
import { analyse, readText, type ReadTexts } from "#ground/workspace/shell/analyse.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"
import { seededIds } from "#lib/ids.ts"
import { mutated } from "../../../../fuzz/mutate.ts"
import { corpusCases, corpusFiles } from "./corpus.ts"
import { isFree } from "./decided.ts"
import { place } from "./place.ts"
import { atNight, runs, spread } from "../../../../kit/runs.ts"

const commands = corpusFiles()
  .flatMap(corpusCases)
  .map(({ command }) => command)
  .filter((command) => command.length < 300)

test("whatever it is given, the analysis answers", () => {
  const ids = seededIds(3)
  for (let i = 0; i < atNight(2000, 500); i++) {
    const from = commands[Math.floor(ids.random() * commands.length)] ?? ""
    expect(typeof analyse(mutated(from, commands, ids), place).understood).toBe("boolean")
  }
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (text) => {
      expect(typeof analyse(text, place).understood).toBe("boolean")
    }),
    { ...runs(200), seed: 5 },
  )
})

test("a text that is remembered is analysed as if it were read again, in every place", () => {
  const known = new Map<string, ReturnType<ReadTexts>>()
  const remembered: ReadTexts = (command) => {
    if (!known.has(command)) known.set(command, readText(command))
    return known.get(command)
  }
  const places = [place, { ...place, cwd: `${place.cwd}/src` }, { ...place, roots: ["/elsewhere"] }, place]
  const ids = seededIds(11)
  const all = [
    ...spread(commands, 400),
    ...Array.from({ length: atNight(500, 150) }, () => mutated(commands[0] ?? "", commands, ids)),
  ]
  for (const command of all)
    for (const each of places) expect(analyse(command, each, remembered)).toEqual(analyse(command, each))
})

test("a dangerous command stays one in every company", () => {
  const harmless = commands.filter((command) => isFree(command, place))
  fc.assert(
    fc.property(
      fc.constantFrom(...harmless),
      fc.constantFrom("rm x", "touch z", "./evil", "curl x", "git push", "sh", "echo x > z", "sort -o z a"),
      fc.constantFrom(";", "&&", "||", "|", "&", "\n"),
      fc.boolean(),
      (safe, dangerous, joint, isFirst) => {
        const command = isFirst ? `${dangerous} ${joint} ${safe}` : `${safe}\n${dangerous}`
        expect([command, isFree(command, place)]).toEqual([command, false])
        for (const wrapped of [
          `echo "$(${dangerous})"`,
          `(${dangerous})`,
          `if ${safe}\nthen ${dangerous}; fi`,
          `cat <(${dangerous})`,
        ])
          expect([wrapped, isFree(wrapped, place)]).toEqual([wrapped, false])
      },
    ),
    { ...runs(100), seed: 7 },
  )
})

test("the environment for reading drops what starts programs and keeps the rest", () => {
  const env = readOnlyEnvironment({
    HOME: "/home/dev",
    PATH: "/usr/bin",
    LANG: "C",
    GIT_EXTERNAL_DIFF: "evil",
    GIT_DIR: "/tmp/x",
    RIPGREP_CONFIG_PATH: "x",
    LD_PRELOAD: "x",
    NODE_OPTIONS: "--require x",
    PAGER: "evil",
  })
  expect(env).toMatchObject({ HOME: "/home/dev", PATH: "/usr/bin", LANG: "C", PAGER: "cat", GIT_OPTIONAL_LOCKS: "0" })
  for (const name of ["GIT_EXTERNAL_DIFF", "GIT_DIR", "RIPGREP_CONFIG_PATH", "LD_PRELOAD", "NODE_OPTIONS"])
    expect(env).not.toHaveProperty(name)
  const count = Number(env.GIT_CONFIG_COUNT)
  const keys = Array.from({ length: count }, (_, i) => env[`GIT_CONFIG_KEY_${i}`])
  expect(keys).toContain("core.fsmonitor")
  expect(keys).toContain("safe.bareRepository")
  expect(keys).not.toContain(undefined)
})
