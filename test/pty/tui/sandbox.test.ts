/** The sandbox as a person meets it: its state below the prompt, what it refused, and the question about running outside. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasTmux, openTmux } from "../../kit/open-tmux.ts"
import { openPlace, program } from "../../kit/run-codewright.ts"
import { resultIn } from "../../kit/sent.ts"

test.skipIf(!hasTmux)(
  "a command is refused by the sandbox and then runs outside it, once the person agrees",
  async () => {
    using place = openPlace()
    mkdirSync(place.state, { recursive: true, mode: 0o700 })
    const sandbox = { enabled: true, autoAllowBashIfSandboxed: true }
    writeFileSync(join(place.state, "settings.json"), JSON.stringify({ theme: "dark", sandbox }))
    const target = join(place.path, "beside.txt")
    const call = (command: string, input: object = {}) => ({
      content: [{ tool: "Bash", input: { command, ...input } }],
    })
    await using run = await openTmux({
      place,
      command: [program, "make it"],
      scenario: [
        // Not a temporary file: /tmp inside is another folder.
        call("touch /usr/local/codewright-must-not-write"),
        call(`touch ${target}`, { dangerouslyDisableSandbox: true }),
        "Made.",
      ],
    })
    const screen = await run.asks("▌ Run this command outside the sandbox?")
    expect(screen).toContain("! Outside the sandbox it can change any file and reach any host.")
    expect(screen).not.toContain("don't ask again")
    expect(existsSync(target)).toBe(false)
    await run.type("1")
    await run.shows("Made.")
    await run.shows("sandbox: auto")
    expect(existsSync(target)).toBe(true)
    expect(await run.all()).toContain("(the sandbox refused writing /usr/local/codewright-must-not-write)")
    expect(resultIn(run.requests[1])).toContain("[The sandbox refused: writing /usr/local/codewright-must-not-write.")
  },
)
