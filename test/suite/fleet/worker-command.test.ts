/** What `codewright worker` says when it cannot begin. */

import { expect, test } from "bun:test"
import { secretVariables } from "#ground/settings/secrets.ts"
import { runCodewright } from "../../kit/run-codewright.ts"

const rows: readonly (readonly [argv: readonly string[], words: string])[] = [
  [[], "worker needs --database postgres://… (or CODEWRIGHT_DATABASE)"],
  [["--database", "nonsense"], "The address of the database is not a URL."],
  [["--database", "http://localhost/x"], "The address of the database does not start with postgres://."],
  [["--database", "postgres://nobody@127.0.0.1:9/none"], "The database on 127.0.0.1:9/none cannot be reached"],
  [
    ["--database", "postgres://x@127.0.0.1:9/x", "--slots", "0"],
    "--slots takes a whole number from 1 to 1000, not '0'.",
  ],
  [
    ["--database", "postgres://x@127.0.0.1:9/x", "--slots", "many"],
    "--slots takes a whole number from 1 to 1000, not 'many'.",
  ],
  [["--databse", "postgres://x"], "unknown option '--databse' (did you mean --database?)"],
  [["start"], "worker takes only options, not 'start'."],
]

for (const [argv, words] of rows)
  test(`worker ${argv.join(" ")}`, async () => {
    const { code, stdout, stderr } = await runCodewright({ argv: ["worker", ...argv, "--json"] })
    expect(stderr).toContain(words)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  })

test("the database can come from a variable, which is not passed on to commands", async () => {
  const env = { CODEWRIGHT_DATABASE: "postgres://nobody:hunter2@127.0.0.1:9/none" }
  const { code, stderr } = await runCodewright({ argv: ["worker", "--json"], env })
  expect([code, stderr]).toEqual([1, expect.stringContaining("The database on 127.0.0.1:9/none cannot be reached")])
  expect(stderr).not.toContain("hunter2")
  expect(secretVariables).toContain("CODEWRIGHT_DATABASE")
})

test("a state folder that cannot be made is named", async () => {
  const env = { CODEWRIGHT_HOME: "/dev/null/state" }
  const { code, stderr } = await runCodewright({ argv: ["worker", "--database", "postgres://x@127.0.0.1:9/x"], env })
  expect([code, stderr]).toEqual([1, expect.stringContaining("The folder /dev/null/state cannot be created")])
})
