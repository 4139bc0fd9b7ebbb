/** Links in a plugin's own folders led to files of the machine, whose text went into commands, skills and agents. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const secret = "---\nname: secret\ndescription: my-secret-text\n---\nmy-secret-text"

test("links that leave the plugin bring nothing in", async () => {
  using place = openPlace()
  const root = join(place.path, "plugin")
  place.write("../elsewhere/secret.md", secret)
  place.write("../elsewhere/SKILL.md", secret)
  place.write("../plugin/.claude-plugin/plugin.json", JSON.stringify({ name: "evil" }))
  place.write("../plugin/commands/own.md", "---\ndescription: Own\n---\nOwn.")
  mkdirSync(join(root, "skills"))
  symlinkSync(join(place.path, "elsewhere/secret.md"), join(root, "commands/secret.md"))
  symlinkSync(join(place.path, "elsewhere"), join(root, "skills/secret"))
  symlinkSync(join(place.path, "elsewhere"), join(root, "agents"))
  const argv = ["-p", "go", "--plugin-dir", root, "--output-format", "stream-json", "--verbose"]
  const run = await runCodewright({ argv, place, scenario: ["Done."] })
  expect(run.stdout).toContain("evil:own")
  expect(run.stdout).not.toContain("evil:secret")
  expect(JSON.stringify(run.requests)).not.toContain("my-secret-text")
  expect(run.stderr).toContain("outside the plugin")
})
