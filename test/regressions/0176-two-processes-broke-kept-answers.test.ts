/**
 * Answers about language servers and about imports from outside were written by way of one draft, whichever process
 * wrote: of two at once, one failed, or put half a file in the place of the whole one, and every answer was forgotten.
 */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { temporaryFolder } from "../kit/tmp.ts"

const root = resolve(import.meta.dir, "../..")
const times = 400

test.each(["lsp-approvals.json", "imports.json"])(
  "of two processes that write %s at once, none fails",
  async (file) => {
    using folder = temporaryFolder()
    const program = `
    const { openServerApprovals } = await import("#ground/lsp/approvals.ts")
    const { openOutsideImports } = await import("#ground/settings/outside-imports.ts")
    const [state, project, file] = process.argv.slice(1)
    const server = { name: "s", command: "c", args: [], env: {}, languages: {} }
    const keep = file === "lsp-approvals.json"
      ? () => openServerApprovals(state).keep(project, server, true)
      : () => openOutsideImports(state).keep(project, ["/x"], true)
    const failures = []
    for (let n = 0; n < ${times}; n++) {
      const kept = keep()
      if (!kept.ok) failures.push(kept.failure)
    }
    console.log(JSON.stringify(failures.slice(0, 3)))
  `
    const runs = ["/one", "/two"].map((project) =>
      Bun.spawn([process.execPath, "-e", program, folder.path, project, file], { cwd: root, stdout: "pipe" }),
    )
    const said = await Promise.all(runs.map((run) => new Response(run.stdout).text()))
    expect(said.map((text) => JSON.parse(text))).toEqual([[], []])
    expect(JSON.parse(readFileSync(folder.join(file), "utf8"))).toMatchObject({ version: 1 })
  },
)
