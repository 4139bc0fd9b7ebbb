/** What every message carries: whose session it belongs to, and an id of its own. */

import type { Ids } from "#lib/ids.ts"

export interface Envelope {
  /** For a message that stands for nothing in the log. */
  readonly stamp: () => { readonly uuid: string; readonly session_id: string }
  /** For one that does. */
  readonly of: (entry: { readonly uuid: string }) => { readonly uuid: string; readonly session_id: string }
}

export const envelopeOf = (session_id: string, ids: Pick<Ids, "uuid">): Envelope => ({
  stamp: () => ({ session_id, uuid: ids.uuid() }),
  of: ({ uuid }) => ({ session_id, uuid }),
})
