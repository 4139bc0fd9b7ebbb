/** A project that is on the PATH cannot bring its own `ls`: what runs unasked is the system's program. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

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

test("a script that stands in for a program on the PATH is asked about and does not run", async () => {
  let folder = ""
  await using t = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [calls(bash("cat a.txt")), calls(bash("rg --version")), says("Done.")],
    allow: [],
    answers: () => ({ kind: "deny", interrupt: false }) as const,
    place: { childEnv: () => ({ PATH: `${folder}:/usr/local/bin:/usr/bin:/bin`, LANG: "C.UTF-8" }) },
  })
  using shims = temporaryFolder()
  folder = shims.path
  writeFileSync(shims.join("rg"), `#!/bin/sh\ntouch ${shims.join("ran")}\n`)
  chmodSync(shims.join("rg"), 0o755)
  await t.prompt("go")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, true])
  expect(existsSync(shims.join("ran"))).toBe(false)
})
