/** Of an Agent Plugin only the skills were found: its servers were not read, and its name was that of its folder. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const schema = (kind: string): string => `https://agent-plugins.org/schemas/1.0.0/${kind}.schema.json`
const server = join(import.meta.dir, "../kit/mcp/asking-server.ts")

test("an Agent Plugin brings skills and servers under its own name", async () => {
  using place = openPlace()
  const desk = { type: "stdio", command: "sh", args: ["-c", `exec ${process.execPath} "$PLUGIN_ROOT/server.ts"`] }
  place.write("../folder/plugin.json", JSON.stringify({ $schema: schema("plugin"), name: "helper" }))
  place.write("../folder/mcp.json", JSON.stringify({ $schema: schema("mcp"), mcpServers: { desk } }))
  place.write("../folder/server.ts", `import ${JSON.stringify(server)}`)
  place.write(
    "../folder/skills/knots/SKILL.md",
    "---\nname: knots\ndescription: How to tie knots\n---\nLeft over right.",
  )
  const argv = ["-p", "go", "--plugin-dir", join(place.path, "folder"), "--output-format", "stream-json", "--verbose"]
  const run = await runCodewright({ argv, place, scenario: ["Done."] })
  const init = run.stdout.split("\n").find((line) => line.includes('"init"'))
  expect(JSON.parse(init ?? "{}")).toMatchObject({
    skills: expect.arrayContaining(["helper:knots"]),
    mcp_servers: [{ name: "plugin:helper:desk", status: "connected" }],
  })
})
