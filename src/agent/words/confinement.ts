/** How the programs a call starts are confined, and what they tried and could not do. */

/** Inside a sandbox with one of its policies, or without one, and then why. */
export type Confinement =
  | { readonly by: "bubblewrap" | "seatbelt"; readonly as: "reader" | "edits" | "workspace" }
  | { readonly by: "none"; readonly because: string }

export type Violation =
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "socket"; readonly path?: string }
  /** A host the proxy refused, or an address tried without the proxy. */
  | { readonly kind: "host"; readonly host: string; readonly port?: number }
  /** More processes at once, or more memory in total, than a command may have. */
  | { readonly kind: "limit"; readonly of: "processes" | "memory" }
