/** A connection to one MCP server: values in, values out, nothing of the library that speaks the protocol. */

import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"

export interface McpToolDefinition {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly annotations?: McpAnnotations
  /** Words to find it by, besides its name and description. */
  readonly searchHint?: string
  /** Whether the server wants it listed, or deferred. */
  readonly listed?: boolean
}

/** Hints from the server about its tool, trusted as far as the server is. */
export interface McpAnnotations {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[]
}

export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

export interface McpResourceTemplate extends Omit<McpResource, "uri"> {
  readonly uriTemplate: string
}

/** A skill as the server's list has it; its files are read on demand. */
export interface McpSkill {
  /** Of its `SKILL.md`. */
  readonly uri: string
  readonly name: string
  readonly description: string
  /** As the list has it: the file must say the same. */
  readonly frontmatter: JsonObject
  /** All of them, or `dynamic` if the server makes them up as they are read. */
  readonly files: readonly McpSkillFile[] | "dynamic"
}

export interface McpSkillFile {
  readonly uri: string
  /** `sha256:` and the hash of its bytes. */
  readonly digest: string
  readonly size: number
}

/** The content of a call, a prompt or a resource. Blocks stay as the server sent them until they are decoded. */
export interface McpCallResult {
  readonly content: readonly JsonValue[]
  readonly structuredContent?: JsonValue
  readonly isError: boolean
}

/** What came of a call: its result, questions after which it is made again, or a task that goes on at the server. */
export type McpReply =
  | { readonly kind: "complete"; readonly result: McpCallResult }
  | ({ readonly kind: "asks" } & InputRequired)
  | { readonly kind: "task"; readonly task: McpTask }

/** What a server wants to know before it continues; `state` is its own and goes back unread. */
export interface InputRequired {
  /** Requests by the server's own keys; an answer is sent back under the same key. */
  readonly requests: JsonObject
  readonly state?: string
}

/** A long call that the server runs by itself. */
export interface McpTask {
  readonly id: string
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled"
  readonly message?: string
  readonly pollMs?: number
  readonly requests?: JsonObject
  readonly result?: McpCallResult
  /** Why it failed, in the server's words. */
  readonly error?: string
}

export interface McpProgress {
  readonly progress?: number
  readonly total?: number
  readonly message?: string
}

/** `message` is for users and models. */
export interface McpFailure {
  readonly kind: "aborted" | "timeout" | "closed" | "refused" | "needs_login" | "other"
  readonly message: string
}

/** What a server offers. Unsupported lists are empty. */
export interface McpOffer {
  readonly tools: readonly McpToolDefinition[]
  readonly prompts: readonly McpPrompt[]
  readonly resources: readonly McpResource[]
  readonly templates: readonly McpResourceTemplate[]
  readonly skills: readonly McpSkill[]
}

export interface CallOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** What that time limits; the silence of the server when absent. */
  readonly counts?: "silence" | "whole"
  readonly onProgress: (progress: McpProgress) => void
}

export interface McpIdentity {
  readonly name: string
  readonly version: string
}

export interface CallRequest {
  readonly name: string
  readonly input: JsonObject
  readonly callId: string
  /** The span it is part of. */
  readonly traceparent?: string
  /** What the server asked when the same call was made before, and its own state of then. */
  readonly answers?: JsonObject
  readonly state?: string
}

/** What an argument of a prompt, or a placeholder of a resource template, could be completed to. */
export interface CompletionRequest {
  readonly of: { readonly prompt: string } | { readonly template: string }
  readonly name: string
  readonly value: string
  /** Arguments that are known already. */
  readonly known: Readonly<Record<string, string>>
}

export interface McpConnection {
  readonly instructions: string | undefined
  readonly about: string | undefined
  readonly identity: McpIdentity | undefined
  /** The revision of the protocol that both sides speak. */
  readonly revision: string | undefined
  /** Whether the server may have skills, even if it lists none. */
  readonly hasSkills: boolean
  readonly list: (what: keyof McpOffer, signal: AbortSignal) => Promise<Result<McpOffer[keyof McpOffer], McpFailure>>
  /** Whether a list may be used as it was read; only a server that says how long its lists are good for has stale ones. */
  readonly isFresh: (what: keyof McpOffer) => boolean
  readonly call: (request: CallRequest, options: CallOptions) => Promise<Result<McpReply, McpFailure>>
  readonly getTask: (id: string, signal: AbortSignal) => Promise<Result<McpTask, McpFailure>>
  readonly answerTask: (id: string, answers: JsonObject, signal: AbortSignal) => Promise<Result<void, McpFailure>>
  /** Asks the server to stop it; whether it does is up to the server. */
  readonly cancelTask: (id: string) => void
  readonly complete: (request: CompletionRequest, signal: AbortSignal) => Promise<Result<readonly string[], McpFailure>>
  /** Wants to be told when one of these resources changes, and of no other any more. */
  readonly watchResources: (uris: readonly string[]) => void
  readonly readResource: (uri: string, signal: AbortSignal) => Promise<Result<readonly JsonValue[], McpFailure>>
  /** The instructions of a listed skill, checked against the list. */
  readonly loadSkill: (uri: string, signal: AbortSignal) => Promise<Result<string, McpFailure>>
  /** Addresses of what is directly in a folder; those of folders end with a slash. */
  readonly readFolder: (uri: string, signal: AbortSignal) => Promise<Result<readonly string[], McpFailure>>
  /** A skill by its address, also if the server does not list it. */
  readonly getSkill: (uri: string, signal: AbortSignal) => Promise<Result<McpSkill, McpFailure>>
  readonly getPrompt: (
    request: { readonly name: string; readonly input: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ) => Promise<Result<readonly JsonValue[], McpFailure>>
  /** Tells the server to ask for the folders again. */
  readonly rootsChanged: () => void
  /** Graceful first; then the process is killed. */
  readonly close: () => Promise<void>
}

export interface McpHost {
  readonly roots: () => readonly string[]
  readonly elicit: (ask: ElicitAsk, signal: AbortSignal) => Promise<ElicitAnswer>
  /** What the user was sent to a URL for is done. */
  readonly onElicited: (elicitationId: string) => void
  readonly onChanged: (what: "tools" | "prompts" | "resources") => void
  /** A watched resource has other contents now. */
  readonly onUpdated: (uri: string) => void
  /** The connection ended without our doing; `reason` says what is known about it. */
  readonly onClosed: (reason: string) => void
}

export interface ElicitAsk {
  readonly message: string
  /** The form as a flat JSON Schema; absent if the user should open a URL instead. */
  readonly schema?: JsonObject
  readonly url?: string
  /** By which the server says later that what it wanted at the URL is done. */
  readonly id?: string
  /** How the server wants the question shown, if it is about a permission. */
  readonly shown?: JsonObject
  /** The call that it belongs to, where the server says so, and which of that call's questions it is. */
  readonly callId?: string
  readonly round?: string
}

export type ElicitAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string | number | boolean | string[]>> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }
