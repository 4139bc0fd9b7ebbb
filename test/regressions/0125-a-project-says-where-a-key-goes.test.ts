/** A variable with another address for a provider could be set by a project, which would get the key. */

import { expect, test } from "bun:test"
import { knownServers } from "#ground/models/servers.ts"
import { childEnvironment, isPersonalVariable } from "#ground/settings/child-environment.ts"

test("no project sets a variable of a known provider, and no command inherits a key", () => {
  const servers = Object.values(knownServers)
  const variables = servers.flatMap(({ keys, address }) => [...keys, ...(address === undefined ? [] : [address])])
  expect(variables).toContain("GOOGLE_GEMINI_BASE_URL")
  expect(variables.filter((name) => !isPersonalVariable(name))).toEqual([])
  const keys = servers.flatMap((server) => server.keys)
  expect(Object.keys(childEnvironment(Object.fromEntries(keys.map((name) => [name, "secret"]))))).toEqual([])
})
