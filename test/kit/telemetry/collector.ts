/** A collector of OTLP at an address of this machine: it keeps what it is sent, or answers as it is told. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface Received {
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
}

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** As they came, in their order. */
  readonly spans: () => readonly JsonObject[]
  readonly records: () => readonly JsonObject[]
  /** All that a request said, by the name of each metric; the last one counts. */
  readonly metrics: () => { readonly [name: string]: JsonObject }
}

type Answer = (request: Request, nth: number) => Response | Promise<Response>

export function openCollector(answer: Answer = () => Response.json({})): Collector {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const packed = request.headers.get("content-encoding") === "gzip"
      const bytes = new Uint8Array(await request.arrayBuffer())
      const text = new TextDecoder().decode(packed ? Bun.gunzipSync(bytes) : bytes)
      received.push({
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body: JSON.parse(text),
      })
      return answer(request, received.length)
    },
  })
  const within = (resources: string, scopes: string, items: string): readonly JsonObject[] =>
    received.flatMap(({ body }) => spansIn(body, resources, scopes, items))
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    spans: () => within("resourceSpans", "scopeSpans", "spans"),
    records: () => within("resourceLogs", "scopeLogs", "logRecords"),
    metrics: () =>
      Object.fromEntries(
        within("resourceMetrics", "scopeMetrics", "metrics").map((metric) => [String(metric.name), metric]),
      ),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

export const spansIn = (
  body: JsonObject,
  resources = "resourceSpans",
  scopes = "scopeSpans",
  items = "spans",
): readonly JsonObject[] =>
  objects(body[resources]).flatMap((resource) => objects(resource[scopes]).flatMap((scope) => objects(scope[items])))

const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The attributes of anything that has some. */
export const attributesOf = ({ attributes }: JsonObject): { readonly [name: string]: JsonValue } =>
  Object.fromEntries(
    objects(attributes).map(({ key, value }) => [
      String(key),
      isObject(value) ? (Object.values(value)[0] ?? null) : null,
    ]),
  )
