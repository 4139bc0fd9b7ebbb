/** What an event of the stream amounts to, besides the events made from it. */
export type Taken =
  | { readonly kind: "more" }
  | { readonly kind: "end" }
  | { readonly kind: "garbled"; readonly why: string }
  | { readonly kind: "refused"; readonly type: string; readonly message: string }
