/** Expected failures as values: a result is either a value or a failure, and the caller must look. */

export type Result<T, F> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: F }

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })

export const failed = <F>(failure: F): { readonly ok: false; readonly failure: F } => ({ ok: false, failure })
