/** A disk that is really full, under the database and under the worker: nothing is lost or done twice, and all continues once there is space. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { emptyDatabase } from "../../../scripts/empty-database.ts"
import { lastText, unknownText } from "../../kit/fleet/note-taker.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

test("what cannot be kept is refused with what to do about it, and what was decided is done once", async () => {
  using folder = temporaryFolder()
  // It is kept where later runs find it, which is not on the small disk.
  await emptyDatabase()
  const bytes = String(220 * 1024 * 1024)
  const confined = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--size", bytes]
  const script = join(import.meta.dir, "../../kit/fleet/on-a-small-disk.ts")
  const child = Bun.spawn([...confined, "--tmpfs", folder.path, process.execPath, script], {
    cwd: join(import.meta.dir, "../../.."),
    env: { ...process.env, TMPDIR: folder.path },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(err).toBe("")
  const full = "The disk of the database is full. Free some space; work then continues by itself."
  const { over, notes, stderr, ...seen } = JSON.parse(out) as { over: readonly string[]; notes: string; stderr: string }
  // The disk may have filled up while the note was made; then nobody makes it again.
  expect([lastText, unknownText]).toContain(over[1] ?? "")
  expect(["once\n", ""]).toContain(notes)
  expect(stderr).not.toContain("mistake")
  expect({ ...seen, stage: over[0] } as object).toEqual({
    refused: [503, { code: "unavailable", message: full }],
    refusedLooks: [],
    decided: [200, true],
    stage: "completed",
    deaths: 0,
  })
}, 300_000)
