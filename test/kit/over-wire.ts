/** A session behind a wire: each op, failure, event, query and answer crosses as JSON, so nothing else can. */

import type { Event } from "#agent/words/event.ts"
import type { Session } from "#session/port/session.ts"

export function overWire<S extends Session>(session: S): Session {
  return {
    id: session.id,
    close: session.close,
    submit: async (op) => crossed(await session.submit(crossed(op, "op")), "what became of an op"),
    ask: async (query, signal) =>
      crossed(await session.ask(crossed(query, "query"), signal), `answer to ${query.type}`) as never,
    events(after) {
      const events = session.events(crossed(after, "cursor"))
      return {
        async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
          for await (const event of events) yield crossed(event, `event ${event.type}`)
        },
      }
    },
  }
}

/** As it comes out at the other end. What would come out as something else is a mistake. */
function crossed<T>(value: T, what: string): T {
  mustBePlain(value, what)
  const text = JSON.stringify(value)
  if (text === undefined) throw new Error(`The ${what} is nothing, which is not JSON.`)
  return JSON.parse(text) as T
}

function mustBePlain(value: unknown, where: string): void {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return
    case "number":
      if (!Number.isFinite(value)) throw new Error(`${where} is ${value}, which is not JSON.`)
      return
    case "object": {
      if (value === null) return
      if (Array.isArray(value)) return value.forEach((member, i) => mustBePlain(member, `${where}[${i}]`))
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null)
        throw new Error(`${where} is a ${value.constructor.name}, which is not JSON.`)
      for (const [name, member] of Object.entries(value)) mustBePlain(member, `${where}.${name}`)
      return
    }
    default:
      throw new Error(`${where} is a ${typeof value}, which is not JSON.`)
  }
}
