/** Gates for a client of the SDK: its permission callback is asked, although the mode would pass everything. */

import { expect } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { bash, calls, write } from "../../kit/script.ts"
import { openWorld, withBoth } from "./drive.ts"

withBoth(
  "the callback sees the review and the git operation in bypass mode, and what it denies does not stay",
  async (version) => {
    await using world = await openWorld(version, {
      scenario: [calls(write("a.txt", "x\n")), calls(write("b.txt", "y\n")), calls(bash("git init -q .")), "Done."],
      env: { IS_SANDBOX: "1" },
    })
    const asked: string[] = []
    const { messages } = await world.run("go", {
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      extraArgs: { gates: "files,git" },
      async canUseTool(tool, input, { title }) {
        asked.push(title ?? tool)
        return tool === "Write" && input["file_path"] === "b.txt"
          ? { behavior: "allow", updatedInput: input }
          : { behavior: "deny", message: "Not this." }
      },
    })
    expect(asked).toEqual(["Keep the new file a.txt?", "Keep the new file b.txt?", "Run this command?"])
    expect(["a.txt", "b.txt", ".git"].map((name) => existsSync(join(world.place.work, name)))).toEqual([
      false,
      true,
      false,
    ])
    expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Done." })
  },
)
