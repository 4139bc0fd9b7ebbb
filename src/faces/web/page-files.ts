/** The files of the page: bundled ahead of time in the executable, or here when the first one is asked for. */

import { basename } from "node:path"
import { lazily } from "#lib/lazily.ts"
import bundle from "./page/index.html"

/** By its path on the server; undefined if the page has no such file. */
export type PageFiles = (path: string) => Promise<Response | undefined>

interface PageFile {
  readonly content: Blob
  readonly type: string
}

export function openPageFiles(): PageFiles {
  const read = lazily(async () => new Map(bundle.files ? embedded(bundle.files) : await bundled(bundle.index)))
  return async (path) => {
    const files = await read()
    const index = [...files.values()].find(({ type }) => type.startsWith("text/html"))
    const file = path === "/" ? index : files.get(path.slice(1))
    if (!file || (file === index && path !== "/")) return undefined
    // Names have a digest of the content in them, so what was loaded once stays right.
    const caching = file === index ? "no-cache" : "public, max-age=31536000, immutable"
    return new Response(file.content, {
      headers: { ...pageHeaders, "content-type": file.type, "cache-control": caching },
    })
  }
}

type Manifest = NonNullable<typeof bundle.files>

const embedded = (files: Manifest): [string, PageFile][] =>
  files.map(({ path, headers }) => [basename(path), { content: Bun.file(path), type: headers["content-type"] }])

async function bundled(index: string): Promise<[string, PageFile][]> {
  const { outputs } = await Bun.build({
    entrypoints: [index],
    minify: true,
    publicPath: "/",
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
  })
  return outputs.map((output) => [basename(output.path), { content: output, type: output.type }])
}

/** Nothing but the page's own files is loaded or run, whatever a text on it says, and no other site can frame it. */
const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const
