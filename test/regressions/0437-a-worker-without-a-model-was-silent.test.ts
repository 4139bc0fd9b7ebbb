/** A worker without any model said nothing when it started; the first session failed in it, for whoever had started that. */

import { expect, test } from "bun:test"
import { openPostgres } from "../kit/database/postgres-server.ts"
import { runCodewright } from "../kit/run-codewright.ts"

test("a worker says at once which sessions will fail, and how to connect a model", async () => {
  await using postgres = await openPostgres()
  const { stderr } = await runCodewright({
    argv: ["worker", "--database", postgres.url],
    env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined },
    async during({ shows, kill }) {
      await shows("is ready.")
      kill("SIGTERM")
    },
  })
  const said = stderr.split("\n").filter((line) => line.includes("model"))
  expect(said).toEqual([
    expect.stringContaining("warning: sessions that choose no model of another provider will fail"),
  ])
  const failed = await runCodewright({
    argv: ["-p", "hello"],
    env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined },
  })
  expect(said[0]).toContain(failed.stderr.replace("error: ", "").trim())
})
