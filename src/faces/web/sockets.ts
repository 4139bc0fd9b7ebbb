/** Connections that stay open in both directions: who has one, and what happens when it ends. */

import type { WebSocketHandler } from "bun"
import type { AhpConnection, AhpHost } from "./ahp/shared.ts"
import type { TokenOwner } from "#fleet/records.ts"
import type { StreamSlot } from "./stream-slots.ts"

export const ahpPath = "/ahp"

export interface SocketData {
  readonly host: AhpHost
  readonly who: () => Promise<TokenOwner | undefined>
  readonly slot: StreamSlot
  readonly gone: AbortController
  connection?: AhpConnection
}

const mostMessageBytes = 1_000_000
/** Of somebody who does not read, no more than this waits in memory. */
const mostWaitingBytes = 16_000_000
const policyViolation = 1008

export const socketHandler: WebSocketHandler<SocketData> = {
  maxPayloadLength: mostMessageBytes,
  backpressureLimit: mostWaitingBytes,
  closeOnBackpressureLimit: true,
  idleTimeout: 120,
  open(socket) {
    const { host, who, slot } = socket.data
    socket.data.connection = host.connect({
      who,
      send: (text) => void socket.sendText(text),
      end: (why) => socket.close(policyViolation, why),
    })
    slot.signal.addEventListener("abort", () => socket.close(policyViolation, "Too many connections are open."))
  },
  message(socket, message) {
    if (typeof message === "string") socket.data.connection?.receive(message)
    else socket.close(1003, "Send text.")
  },
  close(socket) {
    socket.data.connection?.close()
    socket.data.slot.leave()
    socket.data.gone.abort()
  },
}
