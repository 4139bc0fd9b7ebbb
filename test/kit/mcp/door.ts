/** A door before a server on this machine: shut, whoever comes is turned away, and the address stays ours. */

import { connect, createServer, type Socket } from "node:net"

export interface Door extends Disposable {
  /** The same address behind the door. */
  readonly url: string
  readonly shut: () => void
  readonly open: () => void
}

export async function openDoor(to: string): Promise<Door> {
  const behind = new URL(to)
  const inside = new Set<Socket>()
  let isOpen = true
  const server = createServer((socket) => {
    socket.on("error", () => {})
    if (!isOpen) return void socket.destroy()
    const far = connect(Number(behind.port), behind.hostname)
    far.on("error", () => socket.destroy())
    for (const one of [socket, far]) {
      inside.add(one)
      one.on("close", () => {
        inside.delete(one)
        socket.destroy()
        far.destroy()
      })
    }
    socket.pipe(far).pipe(socket)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  const front = new URL(to)
  front.port = String(typeof address === "object" && address !== null ? address.port : 0)
  const shut = (): void => {
    isOpen = false
    for (const socket of inside) socket.destroy()
  }
  return {
    url: front.href,
    shut,
    open: () => void (isOpen = true),
    [Symbol.dispose]() {
      shut()
      server.close()
    },
  }
}
