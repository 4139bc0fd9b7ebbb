/** The door for programs that embed Codewright: open a session, send ops, watch events. */

export type { Entry, EntryBody } from "#agent/words/entry.ts"
export type { Event, Moment } from "#agent/words/event.ts"
export type { Op } from "#agent/words/op.ts"
export type { Answer, Question } from "#agent/words/question.ts"
export { openModel, type OpenModel } from "#ground/models/choose.ts"
export { openShelf, type Shelf } from "#ground/transcript/shelf.ts"
export { openPrices } from "#kits/budget/prices.ts"
export { systemClock } from "#lib/clock.ts"
export { systemIds } from "#lib/ids.ts"
export { openSession, type OpenFailure, type SessionOptions } from "#session/open.ts"
export type { Session } from "#session/session.ts"
export { openSimulator, type Simulator } from "#sim/server.ts"
