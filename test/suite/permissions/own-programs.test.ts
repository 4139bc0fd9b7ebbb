/** A project that is on the PATH cannot bring its own `ls`: what runs unasked is the system's program. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

for (const where of ["node_modules/.bin", "tools"])
  test(`${where} of the project on the PATH`, async () => {
    let folder = ""
    await using t = await openTestSession({
      files: { "a.txt": "a\n", [`${where}/ls`]: "#!/bin/sh\ntouch escaped\n" },
      script: [calls(bash("ls")), says("Listed.")],
      allow: [],
      place: { childEnv: () => ({ PATH: `${folder}:.:/usr/local/bin:/usr/bin:/bin`, LANG: "C.UTF-8" }) },
    })
    folder = t.path(where)
    mkdirSync(folder, { recursive: true })
    chmodSync(t.path(`${where}/ls`), 0o755)
    await t.prompt("list")
    expect(t.results()[0]).toMatchObject({ isError: false, content: expect.stringContaining("a.txt") })
    expect(existsSync(t.path("escaped"))).toBe(false)
  })
