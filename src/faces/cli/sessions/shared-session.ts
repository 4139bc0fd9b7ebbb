/** Offers a session that is open here to other faces of the same user. See decision 135. */

import { join } from "node:path"
import { isOwnPeer } from "#ground/workspace/processes/socket-peer.ts"
import { optional } from "#lib/optional.ts"
import { version } from "#lib/version.ts"
import type { AttachedEditors } from "#session/port/attached-editors.ts"
import { offerSession } from "#session/port/offer-session.ts"
import type { Session } from "#session/port/session.ts"

/** The paths of sockets must be short. */
export const socketOf = (state: string, id: string): string => join(state, "sockets", Bun.hash(id).toString(36))

/** Returns what ends it. Where there can be no socket, others are refused as long as the session is open here. */
export function offerHere(
  session: Session,
  state: string,
  options: { readonly editors?: AttachedEditors | undefined; readonly onFaces?: (count: number) => void } = {},
): () => void {
  const offered = offerSession({
    session,
    path: socketOf(state, session.id),
    version,
    pid: process.pid,
    isWelcome: isOwnPeer,
    editors: options.editors,
    ...optional("onFaces", options.onFaces),
  })
  return offered.ok ? offered.value.stop : () => {}
}
