import { expect, test } from "bun:test"
import fc from "fast-check"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import type { ShellPlace } from "#ground/workspace/shell/analysis.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { argvInBash } from "./real-bash.ts"
import { programs, script } from "./scripts.ts"
import { runs } from "../../../../kit/runs.ts"

test("the words we decide on are the words bash passes", () => {
  using folder = temporaryFolder()
  const place: ShellPlace = {
    cwd: folder.path,
    home: "/home/dev",
    roots: [folder.path],
    realPath: (path) => path,
    repositoryRunsPrograms: () => false,
  }
  const commands = fc.sample(script, { ...runs(700), seed: 20261115 })
  const real = argvInBash(commands, { programs, cwd: folder.path, home: "/home/dev" })
  let compared = 0
  for (const [i, command] of commands.entries()) {
    const analysis = analyse(command, place)
    if (!analysis.understood) continue
    const segments = analysis.segments.filter(({ argv }) => argv.length > 0 && argv[0] !== ":")
    if (segments.some(({ inexact }) => inexact.length > 0)) continue
    compared++
    const ours = segments.map(({ argv }) => JSON.stringify(argv)).sort()
    const theirs = (real[i] ?? []).map((argv) => JSON.stringify(argv)).sort()
    expect({ command, argv: ours }).toEqual({ command, argv: theirs })
  }
  // Most of what is made up is within what we understand, or the test would say little.
  expect(compared).toBeGreaterThan(300)
})
