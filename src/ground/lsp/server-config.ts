/** A language server as it is configured: in settings, in a plugin's `.lsp.json`, or found on the PATH. */

import { readFileSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Who asks for a server: what a project's files or the PATH bring is asked about before it starts. */
export type LanguageServerSource = "settings" | "plugin" | "project" | "path"

export interface LanguageServer {
  readonly name: string
  readonly source: LanguageServerSource
  /** A program on the PATH, or an absolute path. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** Language ids by file extension, in lower case and with the dot. */
  readonly languages: { readonly [extension: string]: string }
  readonly initializationOptions?: JsonValue
  /** What the server is told when it asks for its configuration. */
  readonly settings?: JsonObject
}

/** A server as written, before it is read. */
export interface WrittenLanguageServer {
  readonly name: string
  readonly source: Exclude<LanguageServerSource, "path">
  /** The file it is in, for messages. */
  readonly file: string
  /** What a command with a relative path is relative to. */
  readonly base: string
  readonly value: JsonValue
  /** Values of `${NAME}` in its strings. */
  readonly variables?: { readonly [name: string]: string }
}

/** What a written server says: all of one, changes of one that is found on the PATH, or that there is none. */
export type ServerWish =
  | { readonly kind: "server"; readonly server: LanguageServer }
  | { readonly kind: "change"; readonly change: Partial<LanguageServer> }
  | { readonly kind: "disabled" }

const longestFile = 1_000_000

/** The servers in a plugin's `.lsp.json`; none if there is no such file. Names are prefixed, as those of its MCP servers. */
export function readServersFile(
  file: string,
  given: Pick<WrittenLanguageServer, "source" | "base" | "variables"> & { readonly prefix?: string },
): Result<readonly WrittenLanguageServer[], string> {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT"
    return isMissing ? ok([]) : failed(`${file} could not be read. Its language servers are not used.`)
  }
  if (text.length > longestFile) return failed(`${file} is too large. Its language servers are not used.`)
  const value = parsed(text)
  if (!isObject(value)) return failed(`${file} must be a JSON object with a language server by each name.`)
  const { prefix = "", ...rest } = given
  return ok(Object.entries(value).map(([name, one]) => ({ ...rest, name: `${prefix}${name}`, file, value: one })))
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

export function readWish(written: WrittenLanguageServer): Result<ServerWish, string> {
  const { name, source, value, file } = written
  const wrong = (what: string): Result<never, string> => failed(`lsp.${name} in ${file}: ${what}`)
  if (!isPlainName(name)) return wrong("the name must be a plain word of at most 100 characters.")
  if (!isObject(value)) return wrong("must be an object.")
  if (value.disabled === true) return ok({ kind: "disabled" })
  const { command, transport = "stdio" } = value
  const args = value.args ?? []
  const env = value.env ?? {}
  const extensions = value.extensionToLanguage ?? {}
  if (transport !== "stdio") return wrong('only the transport "stdio" is supported.')
  if (command !== undefined && (typeof command !== "string" || command === ""))
    return wrong("command must be a string.")
  if (!isTexts(args)) return wrong("args must be a list of strings.")
  if (!isTextMap(env)) return wrong("env must be an object of strings.")
  if (!isTextMap(extensions)) return wrong('extensionToLanguage must be an object such as { ".go": "go" }.')
  const unset = unsetIn([command ?? "", ...args, ...Object.values(env)], written.variables)
  if (unset !== undefined) return wrong(`${unset} is not set.`)
  const expand = (text: string): string => expanded(text, written.variables)
  const change = {
    ...(value.args !== undefined && { args: args.map(expand) }),
    ...(value.env !== undefined && { env: mapped(env, expand) }),
    ...(value.extensionToLanguage !== undefined && { languages: byExtension(extensions) }),
    ...optional("initializationOptions", value.initializationOptions),
    ...(isObject(value.settings) && { settings: value.settings }),
  }
  if (command === undefined) return ok({ kind: "change", change: { ...change, source } })
  if (Object.keys(extensions).length === 0) return wrong('extensionToLanguage is missing, such as { ".go": "go" }.')
  const program = expand(command)
  const isPath = program.includes("/") && !isAbsolute(program)
  return ok({
    kind: "server",
    server: {
      name,
      source,
      args: [],
      env: {},
      languages: {},
      ...change,
      command: isPath ? resolve(written.base, program) : program,
    },
  })
}

/** Names are shown in questions and to the model. */
const isPlainName = (name: string): boolean => name.length <= 100 && /^[^\p{C}\p{Z}<>]+$/u.test(name)

const isTexts = (value: JsonValue): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const isTextMap = (value: JsonValue): value is { readonly [name: string]: string } =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string")

const mapped = (
  texts: { readonly [name: string]: string },
  change: (text: string) => string,
): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))

const byExtension = (texts: { readonly [extension: string]: string }): LanguageServer["languages"] =>
  Object.fromEntries(
    Object.entries(texts).map(([extension, language]) => [
      `${extension.startsWith(".") ? "" : "."}${extension.toLowerCase()}`,
      language,
    ]),
  )

const reference = /\$\{([A-Za-z_]\w*)\}/g

const expanded = (text: string, variables: WrittenLanguageServer["variables"] = {}): string =>
  text.replace(reference, (whole, name: string) => (Object.hasOwn(variables, name) ? (variables[name] ?? "") : whole))

/** Only a plugin's own variables are filled in: anything else would hand the environment to whoever wrote the file. */
function unsetIn(texts: readonly string[], variables: WrittenLanguageServer["variables"] = {}): string | undefined {
  for (const text of texts)
    for (const [whole, name = ""] of text.matchAll(reference)) if (!Object.hasOwn(variables, name)) return whole
  return undefined
}
