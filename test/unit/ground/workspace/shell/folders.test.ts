import { describe, expect, test } from "bun:test"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import type { ShellPlace } from "#ground/workspace/shell/analysis.ts"
import { readPaths } from "#ground/workspace/shell/conclusions.ts"
import { isFileWork, isFree } from "./decided.ts"
import { place, project } from "./place.ts"

const folderOf = (command: string): string | undefined => analyse(command, place).segments.at(-1)?.cwd

describe("cd is followed", () => {
  test.each<[string, string | undefined]>([
    ["cd src && ls", `${project}/src`],
    ["cd src; ls", undefined],
    ["cd src || exit 1; ls", `${project}/src`],
    ["cd src || true; ls", undefined],
    ["cd src && cd lib && ls", `${project}/src/lib`],
    ["cd src && cd .. && ls", project],
    ["cd /tmp && ls", "/tmp"],
    ["cd && ls", "/home/dev"],
    ["cd ~ && ls", "/home/dev"],
    ["(cd src && ls); ls", project],
    ["cd src | ls", project],
    ["cd src & ls", project],
    ["if cd src; then ls; fi", `${project}/src`],
    ["! cd src || ls", `${project}/src`],
    ["cd - && ls", undefined],
    ["cd link-out && cd .. && ls", undefined],
    ["command cd src && ls", `${project}/src`],
    ["CDPATH=/etc cd src && ls", undefined],
    ["timeout 5 cd src && ls", project],
    ["for d in a b; do cd $d && ls; done", undefined],
  ])("%s", (command, folder) => {
    expect(folderOf(command)).toBe(folder)
  })

  test("a command that may run in two folders reads in both", () => {
    expect(readPaths(analyse("cd src; cat x", place))).toEqual([`${project}/src/x`, `${project}/x`])
  })

  test("a folder that nobody can tell leaves reads open", () => {
    const command = `cd "$(ls)" && cat x`
    const analysis = analyse(command, place)
    expect(analysis.segments.at(-1)).toMatchObject({ cwd: undefined, unbounded: true, verdict: "read_only" })
    expect(isFree(command, place)).toBe(false)
  })
})

describe("paths", () => {
  test("redirections and operands are listed, absolute and with their dots", () => {
    const analysis = analyse("cp a.txt ../b.txt && sort < names > /tmp/out 2>> log", place)
    expect(readPaths(analysis)).toEqual([`${project}/a.txt`, `${project}/names`])
    expect(analysis.segments.flatMap(({ writes }) => writes)).toEqual([
      `${project}/../b.txt`,
      `${project}/../b.txt/a.txt`,
      "/tmp/out",
      `${project}/log`,
    ])
  })

  test("a link that a pattern may match is listed by its own name", () => {
    const linked: ShellPlace = { ...place, list: (folder) => (folder === project ? ["notes", "secret", "src"] : []) }
    expect(readPaths(analyse("cat s*", linked))).toEqual([`${project}/secret`, `${project}/src`])
    expect(isFree("cat *", linked)).toBe(false)
    expect(isFree("cat s*", linked)).toBe(false)
    expect(isFree("cat n*", linked)).toBe(true)
  })

  test("a pattern with more matches than can be looked at leaves reads open", () => {
    const crowded: ShellPlace = { ...place, list: () => Array.from({ length: 2001 }, (_, i) => `f${i}`) }
    expect(isFree("cat *", crowded)).toBe(false)
  })

  test("file work that may move a link allows no other path beside it", () => {
    expect(isFileWork("mv a b", place)).toBe(true)
    expect(isFileWork("mv a b; echo done", place)).toBe(true)
    expect(isFileWork("mv a b; cat b/x", place)).toBe(false)
    expect(isFileWork("mkdir -p a && touch a/b && cp c a", place)).toBe(true)
  })
})
