/** The files of the page: bundled ahead of time in the executable, or here when the first one is asked for. */

import { basename } from "node:path"
import { lazily } from "#lib/lazily.ts"
import { appLinks, openAppFiles, type PageFile } from "./app-files.ts"
import { trustedPolicy } from "./page/notify/trusted.ts"
import bundle from "./page/index.html"

/** By its path on the server; undefined if the page has no such file. */
export type PageFiles = (path: string) => Promise<Response | undefined>

export function openPageFiles(): PageFiles {
  const read = lazily(async () => {
    const files = new Map(bundle.files ? embedded(bundle.files) : await bundled(bundle.index))
    const [name, index] = [...files].find(([, { type }]) => type.startsWith("text/html")) ?? []
    if (name !== undefined) files.delete(name)
    return { files, index: index && { ...index, content: new Blob([await installable(index.content)]) } }
  })
  const appFile = openAppFiles()
  return async (path) => {
    const { files, index } = await read()
    // Names have a digest of the content in them, so what was loaded once stays right; others are asked for again.
    const named = files.get(path.slice(1))
    const file = path === "/" ? index : (named ?? appFile(path))
    if (!file) return undefined
    const caching = named ? "public, max-age=31536000, immutable" : "no-cache"
    return new Response(file.content, {
      headers: { ...pageHeaders, "content-type": file.type, "cache-control": caching },
    })
  }
}

/** Whatever bundles the page looks for the files that it names, and these are made here. */
const installable = async (page: Blob): Promise<string> => (await page.text()).replace("</head>", `${appLinks}</head>`)

type Manifest = NonNullable<typeof bundle.files>

const embedded = (files: Manifest): [string, PageFile][] =>
  files.map(({ path, headers }) => [basename(path), { content: Bun.file(path), type: headers["content-type"] }])

async function bundled(index: string): Promise<[string, PageFile][]> {
  const { outputs } = await Bun.build({
    entrypoints: [index],
    minify: true,
    splitting: true,
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
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedPolicy}`,
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const
