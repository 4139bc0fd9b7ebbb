/** What an event of the stream came to, besides the events that were made of it. */
export type Taken =
  | { readonly kind: "more" }
  /** The answer is whole. */
  | { readonly kind: "end" }
  | { readonly kind: "garbled"; readonly why: string }
  | { readonly kind: "refused"; readonly type: string; readonly message: string }
