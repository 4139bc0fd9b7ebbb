/** A request of the Messages API, as far as the bench looks into it. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

type Block = { readonly [key: string]: Json }

export interface RequestBody {
  readonly system: readonly Block[]
  readonly tools: readonly Block[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[]
}

/** Marks for the cache are left out: they move by design, and do not count as content. */
export function readBody(text: string): RequestBody {
  const body = JSON.parse(text, (key, value: Json) => (key === "cache_control" ? undefined : value)) as RequestBody
  return { system: body.system ?? [], tools: body.tools ?? [], messages: body.messages ?? [] }
}

export const textOf = (block: Block): string => (typeof block.text === "string" ? block.text : "")

/** The request in the order in which a provider caches it, cut where one may go on from another. */
export function cachedParts({ system, tools, messages }: RequestBody): string[] {
  return [
    ...tools.map((tool) => JSON.stringify(tool)),
    ...system.map((part) => JSON.stringify(part)),
    ...messages.flatMap(({ role, content }, i) => content.map((block) => `${i} ${role} ${JSON.stringify(block)}`)),
  ]
}
