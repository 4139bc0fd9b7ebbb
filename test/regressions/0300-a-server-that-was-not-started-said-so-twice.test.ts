/** "not started: Not started: this folder is not trusted." stood in `codewright doctor` and `codewright mcp list`. */

import { expect, test } from "bun:test"
import { statusText } from "#faces/cli/extensions/mcp-check.ts"
import { notStartedReason } from "#kits/mcp/server-state.ts"
import { optional } from "#lib/optional.ts"

test.each(["untrusted", "needs_approval"] as const)("a server that is held (%s) says so once", (held) => {
  const config = { ok: false, failure: "not read" } as const
  const reason = notStartedReason({ name: "files", held, config })
  const state = { status: "needs_approval", tools: [], prompts: [], resources: [] } as const
  const said = statusText({ ...state, ...optional("reason", reason) })
  expect(said.match(/not started/gi)).toEqual(["Not started"])
})
