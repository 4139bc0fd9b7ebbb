/** What the database refuses to whoever asks for a session. */

/** Somebody else holds the session by now, or it was cancelled: the caller stops at once. */
export interface Fenced {
  readonly kind: "fenced"
}

export interface NoSuchSession {
  readonly kind: "no_such_session"
}
