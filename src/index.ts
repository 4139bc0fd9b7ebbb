/**
 * The door for programs that embed Codewright. `query` is what the Agent SDK has under that name, in this process;
 * `openSession` is the layer below: send ops, watch events, ask queries.
 */

import { startInProcess } from "#faces/cli/in-process.ts"
import { type Query, type QueryParams, queryOver } from "#faces/library/query.ts"
import { systemIds } from "#lib/ids.ts"

export type { Entry, EntryBody } from "#agent/words/entry.ts"
export type { Cursor, Event, Moment } from "#agent/words/event.ts"
export type { Op } from "#agent/words/op.ts"
export type { Answer, Question } from "#agent/words/question.ts"
export type { SessionState } from "#agent/words/state.ts"
export { anthropicProvider } from "#ground/models/anthropic/provider.ts"
export type { Provider } from "#ground/models/provider.ts"
export { openModels, type Models } from "#ground/models/router.ts"
export { networkOfEnvironment } from "#faces/cli/models/configured-network.ts"
export type { Network } from "#lib/network.ts"
export { openSessionLogs, type SessionLogs } from "#ground/transcript/session-logs.ts"
export { openPrices } from "#kits/budget/prices.ts"
export { systemClock } from "#lib/clock.ts"
export { systemIds } from "#lib/ids.ts"
export { atTerminal, headless, type Manner } from "#session/opening/manner.ts"
export { openSession, type OpenFailure } from "#session/open.ts"
export { type LiveHalf, type Opening, openedAs, readOpening } from "#session/opening/opening.ts"
export type { SessionOptions } from "#session/opening/options.ts"
export type { AnswerTo, Answers, Query as SessionQuery, SessionAbout } from "#session/port/query.ts"
export type { OpFailure, Session, SessionPort } from "#session/port/session.ts"
export { openSimulator, type Simulator } from "#sim/server.ts"
export type * from "#faces/library/messages.ts"
export type * from "#faces/library/options.ts"
export type { Query, QueryParams } from "#faces/library/query.ts"
export {
  createSdkMcpServer,
  type SdkServer,
  type SdkTool,
  tool,
  type ToolAnnotations,
  type ToolAnswer,
  type ToolExtras,
} from "#faces/library/servers.ts"

/** Runs a prompt, or several as they come. */
export const query = (params: QueryParams): Query => queryOver(startInProcess, systemIds.uuid, params)
