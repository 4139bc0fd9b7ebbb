/** What do 2,000 sessions that wait for an answer cost a server, how soon is its inbox there, and how soon do 500 who follow a busy session hear of an event? */

import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { percentile, shown } from "./kit/figures.ts"
import { makePlace } from "./kit/place.ts"
import { answer, rowOf } from "./kit/row.ts"

const sessions = 2000
const clients = 500
const events = 200
const perSecond = 20
const secret = "a-secret-for-this-bench"

const place = makePlace()
const program = new URL("kit/waiting-server.ts", import.meta.url).pathname
const server = Bun.spawn([process.execPath, program, place.state, secret], {
  stdin: "pipe",
  stdout: "pipe",
  stderr: "inherit",
})
const said = createInterface({ input: Readable.fromWeb(server.stdout as never) })[Symbol.asyncIterator]()
const heard = async (): Promise<string> => String((await said.next()).value)
const tell = (line: string): unknown => (server.stdin.write(`${line}\n`), server.stdin.flush())

const url = await heard()
const headers = { authorization: `Bearer ${secret}` }
const inbox = async (more = ""): Promise<number> => {
  const begun = performance.now()
  const response = await fetch(`${url}/api/approvals?state=open${more}`, { headers })
  await response.json()
  return performance.now() - begun
}
const memoryMb = (which: "VmRSS" | "VmHWM" = "VmRSS"): number =>
  Number(new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1] ?? 0) / 1024

for (let i = 0; i < 20; i++) await inbox()
await Bun.sleep(1000)
const before = memoryMb()
tell(`wait ${sessions}`)
await heard()
await Bun.sleep(5000)
const waiting = memoryMb()
for (const [what, more] of [
  ["a page of the inbox", "&limit=100"],
  ["the whole inbox", ""],
] as const) {
  const took: number[] = []
  for (let i = 0; i < 100; i++) took.push(await inbox(more))
  answer(
    rowOf({
      what: `${what} with ${sessions} approvals, 99th percentile`,
      ours: percentile(took, 99),
      unit: "ms",
      toReach: 100,
      note: `median ${shown(percentile(took, 50), "ms")}`,
    }),
  )
}
answer(
  rowOf({
    what: `memory of a server for ${sessions} sessions that wait`,
    ours: waiting - before,
    unit: "MB",
    toReach: 50,
    note: `${shown(before, "MB")} with none, ${shown(memoryMb("VmHWM"), "MB")} at the most so far`,
  }),
)

tell(`busy ${events} ${perSecond}`)
await heard()
const delays: number[] = []
const sockets: Socket[] = []
for (let i = 0; i < clients; i++) sockets.push(await follow())
tell("go")
await heard()
while (delays.length < clients * events) await Bun.sleep(50)
answer(
  rowOf({
    what: `an event until each of ${clients} who follow has it, 99th percentile`,
    ours: percentile(delays, 99),
    unit: "ms",
    toReach: 100,
    note: `median ${shown(percentile(delays, 50), "ms")}, ${perSecond} events a second`,
  }),
)
for (const socket of sockets) socket.destroy()
server.kill()
await server.exited
place.remove()

/** Resolves when the stream is open. */
function follow(): Promise<Socket> {
  const { port, host } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(
        `GET /api/sessions/busy/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
      ),
    )
    socket.setEncoding("utf8")
    let rest = ""
    socket.on("data", (piece: string) => {
      const now = Date.now()
      rest += piece
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (line.startsWith(": connected")) resolve(socket)
        const at = /"at":(\d+)/.exec(line)?.[1]
        if (at !== undefined) delays.push(now - Number(at))
      }
    })
  })
}
