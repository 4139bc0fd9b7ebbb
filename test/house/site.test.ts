/** The site made of the guides: whole, closed in itself, and unable to run what a document says. */

import { expect, test } from "bun:test"
import { Glob } from "bun"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path/posix"
import { groups } from "../../scripts/site/contents.ts"
import { buildSite } from "../../scripts/site/pages.ts"
import { render } from "../../scripts/site/render.ts"

const root = resolve(import.meta.dir, "../..")
const site = buildSite()
const pages = [...site].flatMap(([path, file]) =>
  path.endsWith(".html") && "text" in file ? [{ path, html: file.text }] : [],
)
const texts = new Map(pages.map(({ path, html }) => [path, html]))

test("every guide and reference page is in the table of contents, once", () => {
  const named = groups.flatMap((group) => group.pages)
  const written = [...new Glob("docs/{guides,reference}/*.md").scanSync(root)]
  expect(written.filter((path) => !named.includes(path))).toEqual([])
  expect(named.filter((path, at) => named.indexOf(path) !== at)).toEqual([])
  expect(pages.length).toBeGreaterThan(written.length)
})

test("links and pictures of the site lead somewhere, anchors included", () => {
  const broken = pages.flatMap(({ path, html }) =>
    [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = ""]) => {
      if (/^(?:https?|mailto):/.test(link)) return []
      const [to = "", anchor] = link.split("#")
      const target = to === "" ? path : join(dirname(path), to)
      const file = site.get(target)
      if (!file || ("copy" in file && !existsSync(join(root, file.copy)))) return [`${path}: ${link}`]
      return anchor === undefined || texts.get(target)?.includes(` id="${anchor}"`)
        ? []
        : [`${path}: ${link}: no such heading`]
    }),
  )
  expect(broken).toEqual([])
})

test("nothing is fetched from elsewhere, and no page has a script or style of its own", () => {
  for (const { path, html } of pages) {
    expect({
      path,
      own: html.match(/<script(?! src="[^":]+"(?: defer)?><\/script>)|<style| on\w+="| style="/)?.[0],
    }).toEqual({ path, own: undefined })
    expect({ path, far: html.match(/<(?:link|script|img)[^>]+(?:href|src)="(?:https?:)?\/\//)?.[0] }).toEqual({
      path,
      far: undefined,
    })
    expect(html).toContain("default-src 'none'")
  }
})

test("the moving picture is small, loads nothing, and stands still where motion is unwanted", () => {
  const picture = readFileSync(join(root, "docs/pictures/first-task.svg"), "utf8")
  expect(picture.length).toBeLessThan(200_000)
  expect(picture).toContain("prefers-reduced-motion:reduce")
  expect(picture).not.toMatch(/href="(?!#)|<script|<image|url\(/)
})

test("what a document says is text, whatever it looks like", () => {
  const here = { link: (href: string) => href, picture: (src: string) => src }
  const hostile =
    '# A <b>\n\nText <img src=x onerror=alert(1)> `</code><script>` [l](a"onclick="b)\n\n```sh\n</pre><script>alert(1)</script>\n```\n'
  const { html, title } = render(hostile, here)
  expect(title).toBe("A <b>")
  expect(html).not.toMatch(/<script|<img|<b>| onclick="/)
  expect(() => render("<script>alert(1)</script>\n", here)).toThrow("HTML in a document")
  expect(render("<!-- a note -->\n\n# A\n", here).html).not.toContain("note")
})

test("search finds a section of every page that people read", () => {
  const index = site.get("search-index.js")
  const found = index && "text" in index ? index.text : ""
  for (const name of ["guides/undo.html", "guides/hooks.html", "reference/settings.html"])
    expect(found).toContain(`"${name}"`)
  expect(JSON.parse(found.slice(found.indexOf("[")))).toBeInstanceOf(Array)
})
