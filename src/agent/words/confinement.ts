/** How what a call starts is confined, and what it tried in vain. */

/** How a command ran: inside a sandbox with one of its policies, or without one, and then why. */
export type Confinement =
  | { readonly by: "bubblewrap" | "seatbelt"; readonly as: "reader" | "workspace" }
  | { readonly by: "none"; readonly because: string }

/** Something that a confined program tried and could not do because it is confined. */
export type Violation =
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "socket"; readonly path?: string }
  /** A host that the proxy refused, or an address that was tried without it. */
  | { readonly kind: "host"; readonly host: string; readonly port?: number }
  /** More processes at once than a command may have, or more memory than they may take together. */
  | { readonly kind: "limit"; readonly of: "processes" | "memory" }
