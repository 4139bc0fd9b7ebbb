/** The link between a lead and a member: only the two can speak on it, in order, and each notices when the other is gone. */

import { existsSync, renameSync, statSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { dirname } from "node:path"
import { expect, setDefaultTimeout, test } from "bun:test"
import { connectToLead, type Link, listenForMember } from "#ground/team/link.ts"
import type { JsonObject } from "#lib/json.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

const secret = "only the two know it"

async function listen(heard: JsonObject[] = []): Promise<Link & { readonly path: string }> {
  const lead = await listenForMember(secret, (message) => void heard.push(message))
  if (!lead.ok) throw new Error(lead.failure)
  return lead.value
}

async function connect(path: string, heard: JsonObject[] = [], with_: string = secret): Promise<Link> {
  const member = await connectToLead(path, with_, (message) => void heard.push(message))
  if (!member.ok) throw new Error(member.failure)
  return member.value
}

/** A program that found the socket. */
async function intrude(path: string, text: string): Promise<"dropped"> {
  const socket = createConnection(path)
  return new Promise((resolve) => {
    socket.on("error", () => {})
    socket.once("close", () => resolve("dropped"))
    socket.once("connect", () => socket.write(text))
    socket.resume()
  })
}

test("messages arrive in order, also those sent before the member came; then the socket is gone", async () => {
  const atLead: JsonObject[] = []
  const atMember: JsonObject[] = []
  const lead = await listen(atLead)
  expect(statSync(dirname(lead.path)).mode & 0o777).toBe(0o700)
  lead.send({ n: 1 })
  const member = await connect(lead.path, atMember)
  for (let n = 2; n < 200; n++) lead.send({ n })
  for (let n = 0; n < 200; n++) member.send({ n, text: "ä\n".repeat(n) })
  await until(() => atLead.length === 200 && atMember.length === 199)
  expect(atMember.map(({ n }) => n)).toEqual(Array.from({ length: 199 }, (_, n) => n + 1))
  expect(atLead.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  expect(atLead[3]).toEqual({ n: 3, text: "ä\nä\nä\n" })
  expect(existsSync(dirname(lead.path))).toBe(false)
  member.send({ last: true })
  member.close()
  await lead.closed
  expect(atLead.at(-1)).toEqual({ last: true })
})

test("whoever does not know the secret is dropped unheard, and the member still comes", async () => {
  const atLead: JsonObject[] = []
  const lead = await listen(atLead)
  for (const text of [
    '{"kind":"warn","text":"hello"}\n',
    `${"0".repeat(43)} {"kind":"hello"}\n`,
    " \n",
    "\n",
    "x".repeat(10_000),
  ])
    expect(await intrude(lead.path, text)).toBe("dropped")
  const stranger = await connect(lead.path, [], "another secret")
  stranger.send({ kind: "warn", text: "as the member" })
  await stranger.closed
  expect(atLead).toEqual([])
  const member = await connect(lead.path)
  member.send({ n: 1 })
  await until(() => atLead.length === 1)
  member.close()
  await lead.closed
})

/** Between the two, as a program could be that puts its own socket in the place of the lead's. */
async function between(
  path: string,
  pass: (line: string, to: Socket) => void,
): Promise<{ readonly close: () => void }> {
  const moved = `${path}.real`
  renameSync(path, moved)
  const server = createServer((member) => {
    const lead = createConnection(moved)
    lead.on("error", () => {})
    member.on("error", () => {})
    member.pipe(lead)
    let rest = ""
    lead.on("data", (bytes) => {
      const lines = (rest + bytes.toString()).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) pass(line, member)
    })
    lead.once("close", () => member.destroy())
    member.once("close", () => lead.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  return server
}

test.each([
  ["changes a word", (line: string, to: Socket) => void to.write(`${line.replace("plan", "bypassPermissions")}\n`)],
  ["repeats a line", (line: string, to: Socket) => void to.write(`${line}\n${line}\n`)],
  ["adds a line", (line: string, to: Socket) => void to.write(`${line}\n${line.slice(0, 43)} {"mode":"bypass"}\n`)],
])("nobody in between speaks for the lead: one who %s ends the link", async (_, pass) => {
  const atMember: JsonObject[] = []
  const lead = await listen()
  const server = await between(lead.path, pass)
  const member = await connect(lead.path, atMember)
  lead.send({ mode: "plan" })
  await member.closed
  expect(atMember.filter(({ mode }) => mode !== "plan")).toEqual([])
  expect(atMember.length).toBeLessThanOrEqual(1)
  await lead.closed
  server.close()
})

test("what a member says itself is not believed when it comes back", async () => {
  const atMember: JsonObject[] = []
  const lead = await listen()
  const moved = `${lead.path}.real`
  renameSync(lead.path, moved)
  const server = createServer((member) => {
    member.on("error", () => {})
    member.pipe(member)
  })
  await new Promise<void>((resolve) => void server.listen(lead.path, resolve))
  const member = await connect(lead.path, atMember)
  member.send({ mode: "bypassPermissions" })
  await member.closed
  expect(atMember).toEqual([])
  server.close()
  lead.close()
})

test("an earlier state that is kept back is not believed later", async () => {
  const atMember: JsonObject[] = []
  const lead = await listen()
  let kept: string | undefined
  const server = await between(lead.path, (line, to) => {
    if (line.includes("bypass")) kept = line
    else void to.write(`${line}\n${kept ?? ""}\n`)
  })
  const member = await connect(lead.path, atMember)
  lead.send({ mode: "bypassPermissions" })
  lead.send({ mode: "plan" })
  await member.closed
  expect(atMember).toEqual([])
  server.close()
})

test("a lead that gives up leaves no socket, and a member that cannot connect says so", async () => {
  const lead = await listen()
  lead.close()
  await lead.closed
  expect(existsSync(dirname(lead.path))).toBe(false)
  expect((await connectToLead(lead.path, secret, () => {})).ok).toBe(false)
})
