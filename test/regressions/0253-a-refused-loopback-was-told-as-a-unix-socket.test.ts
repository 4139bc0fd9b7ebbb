/** An approved `curl` to a port of this machine failed with "(the sandbox refused using a unix socket)". */

import { expect, test } from "bun:test"
import type { Confinement } from "#agent/words/confinement.ts"
import { ownLoopbackNote } from "#kits/tools/confined.ts"

const confined: Confinement = { by: "bubblewrap", as: "workspace" }

test.each([
  "curl: (7) Failed to connect to 127.0.0.1 port 8799 after 13 ms: Couldn't connect to server",
  "Error: connect ECONNREFUSED 127.0.0.1:5432",
  'connection to server at "localhost:5432" failed: Connection refused',
  "dial tcp [::1]:6379: connect: connection refused",
])("%s", (output) => {
  expect(ownLoopbackNote(output, confined)).toContain("servers of this machine cannot be reached there")
  expect(ownLoopbackNote(output, { by: "none", because: "off" })).toBeUndefined()
})

test.each([
  "Listening on 127.0.0.1:3000",
  "curl: (7) Failed to connect to 10.0.0.8 port 80 after 1 ms",
  "127.0.0.1:3000 answered 500",
])("nothing is said of: %s", (output) => expect(ownLoopbackNote(output, confined)).toBeUndefined())
