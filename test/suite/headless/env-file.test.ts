/** A file of assignments that the person names is read before each command, where the folder is trusted. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"

const run = (place: ReturnType<typeof openPlace>, ...flags: string[]) =>
  runCodewright({
    place,
    argv: ["-p", "go", "--allowed-tools", "Bash(printenv:*)", "--output-format", "stream-json", "--verbose", ...flags],
    env: { CODEWRIGHT_ENV_FILE: join(place.state, "env.sh") },
    scenario: [calls(bash("printenv GREETING; true")), says("Done.")],
  })

test.concurrent("its variables are there in a trusted folder, and not in another", async () => {
  using place = openPlace()
  place.write(join(place.state, "env.sh"), "export GREETING='good day'\n")
  expect((await run(place, "--trust")).stdout).toContain("good day")
  using other = openPlace()
  other.write(join(other.state, "env.sh"), "export GREETING='good day'\n")
  expect((await run(other)).stdout).not.toContain("good day")
})
