/** What is started on macOS: the system's own program with the profile, seen here by a stand-in that prints its arguments. */

import { expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { openSeatbelt } from "#ground/sandbox/seatbelt-sandbox.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("a program is started by sandbox-exec with the policy as its profile, and with its own temporary folder", async () => {
  using folder = temporaryFolder()
  const program = folder.join("sandbox-exec")
  writeFileSync(program, "#!/bin/sh\nexit 0\n")
  chmodSync(program, 0o755)
  const sandbox = openSeatbelt({ folder: folder.join("own"), program })
  expect(await sandbox.check()).toEqual({ works: true, backend: "seatbelt", reports: false })
  const wrapped = await sandbox.wrap({
    program: { file: "/bin/bash", argv: ["-c", "true"], cwd: "/", env: { A: "1" } },
    policy: {
      name: "workspace",
      writes: [{ path: folder.path, because: "a test" }],
      held: [],
      hidden: [],
      temp: { folder: folder.join("temp"), asTmp: true },
      network: { mode: "off", because: "a test" },
      limits: { processes: 1, memoryBytes: 1 },
    },
    needed: { reads: [], writes: [] },
  })
  if (!wrapped.ok) throw new Error(wrapped.failure.why)
  const { file, argv, env } = wrapped.value.program
  expect<unknown>({ file, first: argv[0], last: argv.slice(2), env }).toEqual({
    file: program,
    first: "-p",
    last: ["/bin/bash", "-c", "true"],
    env: { A: "1", TMPDIR: folder.join("temp"), TMP: folder.join("temp"), TEMP: folder.join("temp") },
  })
  expect(argv[1]).toContain(`(allow file-read* file-write* (subpath "${folder.path}"))`)
  await sandbox.close()
})

test("without it nothing can be confined, and where it fails the reason is told", async () => {
  using folder = temporaryFolder()
  const gone = await openSeatbelt({ folder: folder.join("own"), program: folder.join("none") }).check()
  expect(gone.works).toBe(false)
  const failing = folder.join("failing")
  writeFileSync(failing, "#!/bin/sh\necho nested >&2\nexit 71\n")
  chmodSync(failing, 0o755)
  expect(await openSeatbelt({ folder: folder.join("own"), program: failing }).check()).toMatchObject({
    works: false,
    why: "sandbox-exec does not work here: nested",
  })
})
