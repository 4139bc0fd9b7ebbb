/** The hooks of a plugin's skill were not told where the plugin may keep something, unlike its other hooks. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says, use } from "../kit/script.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { writeAll } from "../kit/plugins/market.ts"

test("they find the folder, and it is there", async () => {
  using folder = temporaryFolder()
  const root = folder.join("tools")
  const data = folder.join("data/tools")
  const command = 'echo "$CLAUDE_PLUGIN_ROOT $CODEWRIGHT_PLUGIN_DATA" > "$CLAUDE_PLUGIN_DATA/seen"'
  const hook = `{ type: command, command: '${command}' }`
  const head = `description: Deploys\nhooks:\n  PreToolUse:\n    - hooks: [${hook}]`
  writeAll(root, { "skills/deploy/SKILL.md": `---\n${head}\n---\nDeploy it.` })
  const plugins = [{ name: "tools", root, data, commands: [], agents: [], styles: [], skills: [join(root, "skills")] }]
  await using t = await openTestSession({
    script: [calls(use("Skill", { skill: "tools:deploy" })), calls(bash("true")), says("Done.")],
    extensions: { claudeFolder: "/nonexistent", bundled: false, plugins },
    allow: ["Bash", "Skill"],
    place: { trusted: true },
  })
  await t.prompt("go")
  expect(readFileSync(join(data, "seen"), "utf8")).toBe(`${root} ${data}\n`)
})
