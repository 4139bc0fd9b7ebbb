/** Connections by the hundred, from processes and addresses of their own, that send one request each and stay. */

import { connect, type Socket } from "node:net"

export interface Flood extends AsyncDisposable {
  /** How many of them were answered with what. */
  readonly statuses: Readonly<Record<number, number>>
}

/** A process may have only so many files open. */
const mostOfOne = 3000

export async function flood(port: number, count: number, request: string): Promise<Flood> {
  const sizes = Array.from({ length: Math.ceil(count / mostOfOne) }, (_, at) =>
    Math.min(mostOfOne, count - at * mostOfOne),
  )
  const processes = sizes.map((size, at) =>
    Bun.spawn([process.execPath, import.meta.path, String(port), String(size), `127.0.0.${at + 2}`, request], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  )
  const statuses: Record<number, number> = {}
  for (const { stdout } of processes)
    for (const [status, times] of Object.entries(await firstLine(stdout)))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + times
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      for (const { stdin } of processes) await stdin.end()
      await Promise.all(processes.map(({ exited }) => exited))
    },
  }
}

async function firstLine(from: ReadableStream<Uint8Array>): Promise<Record<string, number>> {
  let text = ""
  for await (const piece of from) {
    text += Buffer.from(piece).toString()
    if (text.includes("\n")) break
  }
  return JSON.parse(text) as Record<string, number>
}

if (import.meta.main) {
  const [port, count, localAddress = "", request = ""] = process.argv.slice(2)
  const sockets: (readonly [Socket, string])[] = []
  // All at once would be more than the queue of the system takes.
  for (let left = Number(count); left > 0; left -= 100)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(100, left) }, () => opened(localAddress)))))
  const statuses = Map.groupBy(sockets, ([, said]) => said.slice(9, 12))
  process.stdout.write(
    `${JSON.stringify(Object.fromEntries([...statuses].map(([status, { length }]) => [status, length])))}\n`,
  )
  for await (const _ of process.stdin) void _
  process.exit(0)

  function opened(from: string): Promise<readonly [Socket, string]> {
    return new Promise((resolve) => {
      const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: from }, () => socket.write(request))
      socket.once("data", (piece) => resolve([socket, piece.toString()]))
      socket.once("error", (error) => resolve([socket, `HTTP/1.1 ${error.message}`]))
    })
  }
}
