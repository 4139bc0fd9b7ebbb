/** Without an address of the database, `codewright serve --slots 0` used the embedded one, which no worker can use: sessions waited for ever. */

import { expect, test } from "bun:test"
import { runCodewright } from "../kit/run-codewright.ts"

test("a server that leaves sessions to workers needs a database they can use", async () => {
  const { code, stdout, stderr } = await runCodewright({ argv: ["serve", "--slots", "0", "--port", "0"] })
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toContain("error: --slots 0 leaves all sessions to codewright worker")
  expect(stderr).toContain("Set CODEWRIGHT_DATABASE")
})
