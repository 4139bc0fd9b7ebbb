/** Lines of which some parts are started by functions, run by a real shell. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { folderOfPart, type PartStarter, starterFile, withConfinedParts } from "#ground/workspace/line-parts.ts"

const starter = (at: number, env: Record<string, string>, variables: readonly string[] = []): PartStarter => ({
  at,
  variables,
  program: { file: starterFile, argv: [], cwd: folderOfPart, env: { PATH: "/usr/bin:/bin", ...env } },
})

function run(line: string, parts: readonly PartStarter[]): string {
  const { command, functions } = withConfinedParts(line, parts, "0b9d-11")
  const { stdout, stderr } = Bun.spawnSync(["/bin/bash", "-c", `${functions}\n${command}`], { env: { OUTER: "seen" } })
  return `${stdout.toString()}${stderr.toString()}`
}

test("a part has its own environment, the rest has the shell's", () => {
  expect(run("printenv OUTER; printenv OUTER || printenv INNER", [starter(16, { INNER: "own" })])).toBe("seen\n")
  expect(run("printenv OUTER || printenv INNER", [starter(0, { INNER: "a" }), starter(18, { INNER: "own" })])).toBe(
    "own\n",
  )
})

test("it runs in the folder that the shell is in, in pipes, loops and substitutions", () => {
  expect(run("cd /usr; pwd -P; printenv PWD", [starter(9, {}), starter(17, {})])).toBe("/usr\n/usr\n")
  expect(run('for i in 1 2; do echo "$(printenv INNER)" | cat; done', [starter(25, { INNER: "x" })])).toBe("x\nx\n")
})

test("variables that are set for it keep their values", () => {
  expect(run("LC_ALL=C printenv LC_ALL; printenv LC_ALL", [starter(9, {}, ["LC_ALL"])])).toBe("C\n")
})

test("whatever is in the environment arrives as it is", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
      (value) => {
        expect(run("printenv INNER", [starter(0, { INNER: value })])).toBe(`${value}\n`)
      },
    ),
    { numRuns: 60 },
  )
})
