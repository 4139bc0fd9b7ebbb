/** A temporary folder that cannot be written was a bug of ours, for a server before it listened, for doctor, for a sandbox that was only looked at. */

import { expect, test } from "bun:test"
import { runCodewright } from "../kit/run-codewright.ts"

const env = { TMPDIR: "/proc/none" }

test("the sandbox is tried in the state folder instead", async () => {
  for (const argv of [["sandbox"], ["permissions", "explain", "Bash", "touch x"]]) {
    const { code, stdout, stderr } = await runCodewright({ argv, env })
    expect([argv, code, stderr]).toEqual([argv, 0, ""])
    expect(stdout).not.toContain("cannot be written")
  }
})

test("where neither can be written, the sandbox says which", async () => {
  const { stdout, stderr } = await runCodewright({
    argv: ["doctor"],
    env: { ...env, CODEWRIGHT_HOME: "/proc/state" },
  })
  expect(stderr).toBe("")
  // The executable stops earlier: it has a helper to unpack.
  expect(stdout).toMatch(
    /its files cannot be written in \/proc\/none\/codewright-sandbox-|its helper program cannot be unpacked: .*\/proc\/state/,
  )
})

test("what needs it names it, and the variable", async () => {
  for (const argv of [["demo"], ["-p", "hello", "--no-session-persistence"], ["hooks", "test", "Stop"]]) {
    const { code, stderr } = await runCodewright({ argv, env })
    expect([argv, code, stderr]).toEqual([
      argv,
      1,
      "error: The temporary folder /proc/none cannot be written (ENOENT). Set TMPDIR to a writable folder.\n",
    ])
  }
})
