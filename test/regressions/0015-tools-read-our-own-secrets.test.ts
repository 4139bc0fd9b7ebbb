/** The token of a server, in a workspace that has the state folder inside, was read without a question. */

import { expect, test } from "bun:test"
import { reads } from "#agent/words/footprint.ts"
import { permissionModes } from "#agent/words/permission.ts"
import { noWalls } from "#kits/permissions/walls.ts"
import { closedPaths } from "#session/adapters/closed-paths.ts"
import { bash, decideCase, edit, read, rulesFrom } from "../unit/kits/permissions/judge.ts"

const state = "/home/me/.codewright"
const within = {
  workspace: { root: "/home/me", closed: closedPaths(state) },
  rules: rulesFrom({ allow: ["Read", "Bash"] }),
}

test("whatever the mode and rules say, no tool gets our own secrets", () => {
  for (const mode of permissionModes)
    for (const name of [
      "server-token",
      "push-key",
      "key.json",
      "mcp-logins/a.json",
      "database/data/x",
      "fleet/logs/a.jsonl",
    ]) {
      const path = `${state}/${name}`
      const all = [
        read(path, { ...within, mode }),
        edit(path, { ...within, mode }),
        bash(`cat ${path}`, { ...within, mode }),
      ]
      expect([path, mode, all.map(({ behavior }) => behavior)]).toEqual([path, mode, ["deny", "deny", "deny"]])
    }
})

test("a command that would read everything around them is refused where nothing confines it; names may be listed", () => {
  expect(bash(`grep -r . ${state}`, { ...within, walls: noWalls }).behavior).toBe("deny")
  expect(bash(`ls ${state}`, { ...within, walls: noWalls }).behavior).toBe("allow")
  expect(decideCase({ tool: "Grep", footprint: reads(state), ...within }).behavior).toBe("allow")
})
