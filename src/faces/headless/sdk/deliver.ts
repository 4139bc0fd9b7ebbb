/** What becomes of a client's message, depending on when it wants it delivered, and of its interrupts. */

import type { Session } from "#session/port/session.ts"
import { success } from "./control.ts"
import type { ControlRequest } from "./inbound.ts"
import type { Prompts, WaitingMessage } from "./prompts.ts"
import type { StateTelling } from "./session-state.ts"
import type { Turns } from "./turns.ts"

export interface MessageDeliveryParts {
  readonly session: Pick<Session, "submit">
  readonly send: (message: object) => void
  readonly prompts: Pick<Prompts, "add" | "drop" | "ids">
  readonly turns: Pick<Turns, "interrupt" | "isOver" | "steer" | "steered">
  readonly state: Pick<StateTelling, "isWorking">
  /** Resolves when the turn of a message begins. */
  readonly begins: (id: string) => Promise<void>
  /** Messages as they came, until they are in the log. */
  readonly originals: Map<string, WaitingMessage>
}

export interface MessageDelivery {
  readonly deliver: (message: WaitingMessage) => Promise<void>
  readonly interrupt: (request: ControlRequest) => void
}

export function openDelivery({
  session,
  send,
  prompts,
  turns,
  state,
  begins,
  originals,
}: MessageDeliveryParts): MessageDelivery {
  return {
    async deliver(message) {
      if (message.priority === "next" && state.isWorking()) {
        originals.set(message.id, message)
        return turns.steer(message)
      }
      const isNext = turns.isOver() && prompts.ids().length === 0
      prompts.add(message)
      // An interrupt right behind it is about this message, and must not come before its turn.
      if (isNext) await begins(message.id)
      else if (message.priority === "now") await session.submit({ type: "interrupt" })
    },
    interrupt({ id, request }) {
      const steered = turns.steered()
      const cancelled = request.cancel_queued === true ? [...steered, ...prompts.drop()] : undefined
      const left = cancelled ? [] : [...steered, ...prompts.ids()]
      // The client hears that it is done before it hears what came of it.
      send(success(id, { still_queued: left, ...(cancelled && { cancelled }) }))
      turns.interrupt(cancelled && "client")
    },
  }
}
