/** Names and numbers of the Agent Host Protocol that this server uses. See decision 128. */

/** Of the specification that the host was written and tried against. */
export const protocolVersions: readonly string[] = ["0.7.0"]

export const rootChannel = "ahp-root://"

export const sessionChannel = (sessionId: string): string => `ahp-session:/${sessionId}`

/** A session has one chat, which has its id. */
export const chatChannel = (sessionId: string): string => `ahp-chat:/${sessionId}`

export type Channel = { readonly kind: "root" } | { readonly kind: "session" | "chat"; readonly sessionId: string }

/** Undefined for channels of other kinds, and for names that no session has. */
export function channelOf(uri: string): Channel | undefined {
  if (uri === rootChannel) return { kind: "root" }
  const [, kind, sessionId] = /^ahp-(session|chat):\/([\w@-][\w.@-]{0,99})$/.exec(uri) ?? []
  return sessionId === undefined ? undefined : { kind: kind === "chat" ? "chat" : "session", sessionId }
}

export const errorCodes = {
  sessionNotFound: -32001,
  sessionAlreadyExists: -32003,
  unsupportedVersion: -32005,
  notFound: -32008,
  permissionDenied: -32009,
  invalidParams: -32602,
  methodNotFound: -32601,
} as const

/** Bits: what a session does, and apart from that whether it is put away. */
export const statusBits = { idle: 1, error: 2, inProgress: 8, inputNeeded: 24, archived: 64 } as const
