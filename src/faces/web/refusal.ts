/** What a client is told when something is not done: a code for programs, and a sentence. */

export const statuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  budget: 403,
  not_found: 404,
  void: 409,
  expired: 409,
  conflict: 409,
  too_large: 413,
  invalid: 422,
  too_many: 429,
  unavailable: 503,
} as const

export type RefusalCode = keyof typeof statuses

export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
}

export const statusOf = ({ code }: Refusal): number => statuses[code]

export const refusal = (code: RefusalCode, message: string): Refusal => ({ code, message })
