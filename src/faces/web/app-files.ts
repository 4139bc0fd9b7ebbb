/** What makes the page an app that can be installed: its manifest, icons, worker, and what it shows while the server is away. */

import { iconPng } from "./icon.ts"
import { serviceWorker } from "./page/notify/service-worker.ts"
import { workerPath } from "./page/notify/trusted.ts"

export interface PageFile {
  readonly content: Blob
  readonly type: string
}

/** For the head of the page. */
export const appLinks = `<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/apple-touch-icon.png">`

const manifest = {
  name: "Codewright",
  short_name: "Codewright",
  description: "Sessions that wait for your answer",
  id: "/",
  start_url: "/",
  scope: "/",
  display: "standalone",
  background_color: "#f8f9fa",
  theme_color: "#0b5a87",
  icons: [
    { src: "/icon-192.png", sizes: "192x192", type: "image/png", purpose: "any" },
    { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "any" },
    { src: "/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  ],
  shortcuts: [{ name: "New session", url: "/#/new" }],
}

/** Plain: nothing of anybody's is in it. */
const offlinePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Codewright is offline</title>
  </head>
  <body>
    <main>
      <h1>The server cannot be reached</h1>
      <p>Check your connection, then reload the page. Sessions continue without you, and what waits for you keeps waiting.</p>
    </main>
  </body>
</html>
`

const icons: { readonly [path: string]: Parameters<typeof iconPng>[0] } = {
  "/icon-192.png": { pixels: 192, isMaskable: false },
  "/icon-512.png": { pixels: 512, isMaskable: false },
  "/icon-maskable-512.png": { pixels: 512, isMaskable: true },
  "/apple-touch-icon.png": { pixels: 180, isMaskable: true },
}

/** By its path; each is made when it is first asked for. */
export function openAppFiles(): (path: string) => PageFile | undefined {
  const made = new Map<string, PageFile>()
  return (path) => {
    const file = made.get(path) ?? makeFile(path)
    if (file) made.set(path, file)
    return file
  }
}

function makeFile(path: string): PageFile | undefined {
  const icon = icons[path]
  if (icon) return { content: new Blob([iconPng(icon)]), type: "image/png" }
  switch (path) {
    case "/manifest.webmanifest":
      return textFile(JSON.stringify(manifest), "application/manifest+json")
    case "/offline.html":
      return textFile(offlinePage, "text/html;charset=utf-8")
    case workerPath:
      return textFile(`(${serviceWorker.toString()})(self)\n`, "text/javascript;charset=utf-8")
    default:
      return undefined
  }
}

const textFile = (text: string, type: string): PageFile => ({ content: new Blob([text]), type })
