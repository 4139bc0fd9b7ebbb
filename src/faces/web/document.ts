/** The document of the API, made from the table of routes and the schemas that judge what comes in. */

import { type ZodType, z } from "zod"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { version } from "#lib/version.ts"
import { linkAnswer, linkPaths } from "./link-schemas.ts"
import { statuses } from "./refusal.ts"
import type { Route } from "./route.ts"
import { routes } from "./routes.ts"
import { approvalAnswer, errorAnswer, eventData, healthAnswer, waysToSignIn } from "./answer-schemas.ts"
import { auditFileQuery, eventsQuery, linkBody, linkUseBody, signInBody } from "./request-schemas.ts"

export function apiDocument(): JsonObject {
  const named: Record<string, JsonValue> = {}
  const shape = (schema: ZodType, io: "input" | "output"): JsonObject => componentsOut(schema, io, named)
  const paths: Record<string, JsonObject> = {
    "/api/health": {
      get: {
        summary: "Says that the server runs.",
        security: [],
        responses: { 200: answer(shape(healthAnswer, "output")) },
      },
    },
    "/api/ready": {
      get: {
        summary: "Says that the server runs and its database answers.",
        security: [],
        responses: { 200: answer(shape(healthAnswer, "output")) },
      },
    },
    "/api/openapi.json": { get: { summary: "This document.", responses: { 200: answer({ type: "object" }) } } },
    "/api/sign-in": signInOperations(shape),
    ...linkOperations(shape),
    "/api/sessions/{id}/events": { get: eventsOperation(shape) },
    "/api/changes": { get: changesOperation },
    "/api/audit/file": { get: auditFileOperation(shape) },
  }
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}")
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, shape) }
  }
  const failure = shape(errorAnswer, "output")
  return {
    openapi: "3.1.0",
    info: { title: "Codewright", version, description: "Sessions that wait for answers." },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: named,
      responses: { Refused: { description: "What happened, and what to do.", content: content(failure) } },
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "codewright_<port>" },
      },
    },
  }
}

type SchemaOf = (schema: ZodType, io: "input" | "output") => JsonObject

const content = (schema: JsonObject): JsonObject => ({ "application/json": { schema } })
const answer = (schema: JsonObject): JsonObject => ({ description: "Done.", content: content(schema) })

/** Every status by which a request may be refused. */
const refusals: JsonObject = Object.fromEntries(
  [...new Set(Object.values(statuses))].map((status) => [status, { $ref: "#/components/responses/Refused" }]),
)

function operation({ method, path, about, needs, query, body, answers }: Route, shape: SchemaOf): JsonObject {
  return {
    summary: about,
    description: `Needs the role ${needs}.`,
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => inPath(name)),
      ...(query ? queryParameters(shape(query, "input")) : []),
      ...(method === "POST" ? [keyHeader] : []),
    ],
    ...(body && { requestBody: { required: method === "POST", content: content(shape(body, "input")) } }),
    responses: {
      [answers.status]: answers.body ? answer(shape(answers.body, "output")) : { description: "Done." },
      ...refusals,
    },
  }
}

const eventsOperation = (shape: SchemaOf): JsonObject => ({
  summary: "What happens in a session, as server-sent events: entry, moment, stage, approval. Each id is a cursor.",
  parameters: [inPath("id"), ...queryParameters(shape(eventsQuery, "input")), lastEventId],
  responses: {
    200: {
      description: "The stream. x-events has the schema of each event's data.",
      content: {
        "text/event-stream": {
          schema: { type: "string" },
          "x-events": Object.fromEntries(
            Object.entries(eventData).map(([event, schema]) => [event, shape(schema, "output")]),
          ),
        },
      },
    },
    ...refusals,
  },
})

const signInOperations = (shape: SchemaOf): JsonObject => ({
  get: {
    summary: "Says how people sign in, besides with tokens.",
    security: [],
    responses: { 200: answer(shape(waysToSignIn, "output")) },
  },
  post: {
    summary: "Signs a browser in with a token: the answer sets a cookie that no script can read.",
    description: "Only from a page of this server, as the header Origin says.",
    security: [],
    requestBody: { required: true, content: content(shape(signInBody, "input")) },
    responses: { 204: { description: "Done.", headers: setsCookie }, ...refusals },
  },
  delete: {
    summary: "Signs the browser out.",
    description: "Only from a page of this server, as the header Origin says.",
    security: [{ cookie: [] }, {}],
    responses: { 204: { description: "Done, also if nobody was signed in.", headers: setsCookie }, ...refusals },
  },
})

const linkOperations = (shape: SchemaOf): Record<string, JsonObject> => {
  const asks = (schema: ZodType): JsonObject => ({
    security: [],
    requestBody: { required: true, content: content(shape(schema, "input")) },
  })
  const answers = (schema: ZodType): JsonObject => ({ 200: answer(shape(schema, "output")), ...refusals })
  return {
    [linkPaths.look]: {
      post: { summary: "Says what a decision link would decide.", ...asks(linkBody), responses: answers(linkAnswer) },
    },
    [linkPaths.use]: {
      post: {
        summary: "Decides with a decision link, in the name of its reader. It works once.",
        description:
          "A link of a plan or a question takes the answer with it, which is judged before the link counts as used.",
        ...asks(linkUseBody),
        responses: answers(approvalAnswer),
      },
    },
  }
}

const setsCookie: JsonObject = { "Set-Cookie": { schema: { type: "string" } } }

const lastEventId: JsonObject = { name: "Last-Event-ID", in: "header", schema: { type: "string" } }

const changesOperation: JsonObject = {
  summary:
    'Says when something changed in what this token may see, as server-sent events: changed, with {"changed": ["approvals", "sessions", "teams", "workers"]}, or some of these.',
  description: "Needs the role viewer. Whoever comes back with the last id is told at once if something changed since.",
  parameters: [lastEventId],
  responses: {
    200: { description: "The stream.", content: { "text/event-stream": { schema: { type: "string" } } } },
    ...refusals,
  },
}

const auditFileOperation = (shape: SchemaOf): JsonObject => ({
  summary: "The whole audit as a file, oldest first.",
  description: "Needs the role admin.",
  parameters: queryParameters(shape(auditFileQuery, "input")).map((each) => ({ ...each, required: true })),
  responses: {
    200: {
      description: "The file.",
      content: { "text/csv": { schema: { type: "string" } }, "application/jsonl": { schema: { type: "string" } } },
    },
    ...refusals,
  },
})

const inPath = (name: string): JsonObject => ({ name, in: "path", required: true, schema: { type: "string" } })

const keyHeader: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  description: "The same key gives the same answer for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: 200 },
}

const queryParameters = ({ properties }: JsonObject): readonly JsonObject[] =>
  Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({ name, in: "query", schema }))

/** Schemas with a name go to the components, and others refer to them there. */
function componentsOut(schema: ZodType, io: "input" | "output", named: Record<string, JsonValue>): JsonObject {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, target: "draft-2020-12" })).replaceAll(
    '"#/$defs/',
    '"#/components/schemas/',
  )
  const { $schema: _dialect, $defs, ...rest } = JSON.parse(text) as JsonObject
  for (const [name, each] of Object.entries(isObject($defs) ? $defs : {})) named[name] = withoutId(each)
  const { id } = rest
  if (typeof id !== "string") return rest
  named[id] = withoutId(rest)
  return { $ref: `#/components/schemas/${id}` }
}

function withoutId(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema
  const { id: _id, ...rest } = schema
  return rest
}
