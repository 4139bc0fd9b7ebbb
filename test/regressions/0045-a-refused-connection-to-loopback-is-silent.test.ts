/** A server on this machine was refused behind the reader wall with `connection refused`, as if nobody listened there. */

import { expect, test } from "bun:test"
import { refusalNote, untoldRefusals } from "#kits/tools/confined.ts"
import { refusedByWall } from "#ground/sandbox/loopback.ts"
import type { Violation } from "#agent/words/confinement.ts"

const reader = { by: "bubblewrap", as: "reader" } as const
const workspace = { by: "bubblewrap", as: "workspace" } as const

test("only what somebody outside serves was refused by the wall", async () => {
  await using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const { port: unused } = free
  free.stop(true)
  const to = (host: string, port: number): Violation => ({ kind: "host", host, port })
  const refused = [to("127.0.0.1", server.port), to("::1", server.port), to("192.0.2.1", unused)]
  const nobody = [to("127.0.0.1", unused), to("::1", unused), to("0.0.0.0", unused)]
  const others: readonly Violation[] = [
    { kind: "write", path: "/etc/x" },
    { kind: "host", host: "example.com" },
  ]
  expect(refusedByWall([...nobody, ...refused, ...others])).toEqual([...refused, ...others])
})

test("the result says that there was no network", () => {
  const violations: readonly Violation[] = [
    { kind: "host", host: "127.0.0.1", port: 5432 },
    { kind: "host", host: "::1", port: 5432 },
    { kind: "host", host: "127.0.0.53", port: 53 },
  ]
  expect(refusalNote(violations, reader, true)).toBe(
    "The command ran in a read-only sandbox without network, and the sandbox refused: connecting to 127.0.0.1:5432; connecting to [::1]:5432; looking up a host name.",
  )
  expect(refusalNote([{ kind: "write", path: "/etc/x" }], reader, true)).toBe(
    "The command ran read-only, and the sandbox refused: writing /etc/x.",
  )
})

test("also where the command ended well, as in a pipe; elsewhere programs do without", () => {
  const violations: readonly Violation[] = [
    { kind: "write", path: "/etc/x" },
    { kind: "host", host: "127.0.0.1", port: 80 },
  ]
  expect(untoldRefusals(violations, reader)).toEqual([{ kind: "host", host: "127.0.0.1", port: 80 }])
  expect(untoldRefusals(violations, workspace)).toEqual([])
})
