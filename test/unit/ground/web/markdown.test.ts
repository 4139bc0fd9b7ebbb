import { expect, test } from "bun:test"
import fc from "fast-check"
import { toMarkdown } from "#ground/web/markdown.ts"
import { tidyHtml } from "#ground/web/tidy-html.ts"
import { runs } from "../../../kit/runs.ts"

const at = "https://example.com/docs/page"
const markdown = async (body: string): Promise<string> => (await toMarkdown(`<body>${body}</body>`, at)).markdown
const sentence = "<p>This is a sentence of the article, with commas, so that it counts as content of the page.</p>"

test("the main content is taken, and what stands around it is left", async () => {
  const page = await toMarkdown(
    `<html><head><title> A
      title </title><script>document.title = "no"</script></head><body>
      <nav><a href="/1">One</a><a href="/2">Two</a></nav>
      <article><h2>Part</h2>${sentence.repeat(6)}</article>
      <aside>Buy now</aside><footer>Imprint</footer></body></html>`,
    at,
  )
  expect(page.title).toBe("A title")
  expect(page.markdown).toStartWith("## Part\n\nThis is a sentence")
  expect(page.markdown).not.toMatch(/One|Buy|Imprint/)
  expect(page.isCut).toBe(false)
})

test("what is no article is read whole", async () => {
  expect(await markdown("<ul><li>a</li><li>b</li></ul>")).toBe("- a\n- b")
  expect(await markdown("just text")).toBe("just text")
  expect((await toMarkdown("no tags at all < here", at)).markdown).toBe("no tags at all < here")
  expect((await toMarkdown("", at)).markdown).toBe("")
})

test("the part that a page marks as its main one is not given up for a fragment of it", async () => {
  const reference = Array.from({ length: 40 }, (_, i) => `<div><code>option-${i}</code> <span>does ${i}</span></div>`)
  const text = await markdown(`<header>Site</header><main>${reference.join("")}</main><footer>End</footer>`)
  expect(text).toContain("`option-0`")
  expect(text).toContain("`option-39`")
  expect(text).not.toContain("Site")
})

test("code keeps its lines, its language and its fences", async () => {
  const code = (attributes: string, inner: string): Promise<string> =>
    markdown(`<div ${attributes}><pre>${inner}</pre></div>`)
  expect(await code("", '<code class="language-ts">a &lt; b\n  &amp;&amp; c\n</code>')).toBe(
    "```ts\na < b\n  && c\n```",
  )
  expect(await code('class="highlight highlight-source-shell"', "npm <span>ci</span>")).toBe("```shell\nnpm ci\n```")
  expect(await code("", "a ``` b")).toBe("````\na ``` b\n````")
  expect(await code("", '<button>Copy</button>x<span aria-hidden="true">1</span>')).toBe("```\nx\n```")
})

test("tables of data become tables, those that lay out a page do not", async () => {
  const data = "<tr><th>Name</th><th>Type</th></tr><tr><td>a|b</td><td></td></tr><tr><td>c<br>d<td>e"
  expect(await markdown(`<table>${data}</table>`)).toBe("| Name | Type |\n| --- | --- |\n| a\\|b |  |\n| c d | e |")
  expect(await markdown("<table><tr><td><p>one</p></td></tr></table>")).toBe("one")
  expect(await markdown("<table><tr><td><pre>x</pre></td><td>y</td></tr></table>")).toBe("```\nx\n```\n\ny")
})

test("lists are numbered and indented", async () => {
  expect(await markdown("<ol start=3><li>a<ul><li>b</li></ul></li><li>c<pre>d\ne</pre></li></ol>")).toBe(
    "3. a\n   - b\n4. c\n\n   ```\n   d\n   e\n   ```",
  )
})

test("addresses are whole; those that lead to no page are left out", async () => {
  expect(
    await markdown('<p><a href="../x?a=(1)">one</a> <a href="#two">two</a> <a href="javascript:evil()">three</a></p>'),
  ).toBe("[one](https://example.com/x?a=%281%29) two three")
  expect(await markdown('<h2>Title <a href="#title">¶</a></h2>')).toBe("## Title")
  expect(
    await markdown('<p>a <img src="/p.png" alt="A  plan"><img src="/q.png"><img src="data:xx" alt="no"></p>'),
  ).toBe("a ![A plan](https://example.com/p.png)")
})

test("nothing that is hidden or would run is passed on", async () => {
  const page = await markdown(`<p>seen</p>
    <script>bad1</script><SCRIPT type=x>bad2 </p></SCRIPT ><style>bad3</style><template><p>bad4</p></template>
    <p hidden>bad5</p><div style="color:red; DISPLAY : none">bad6<div>bad7</div>bad8</div>
    <svg><text>bad9</text></svg><iframe src=x>bad10</iframe><!-- bad11 --><p aria-hidden=true>bad12<p>also seen</p>
    <img src=x onerror="bad13()" alt=""><noscript>bad14</noscript><select><option>bad15</select><![CDATA[bad16]]>`)
  expect(page.replace(/\s+/g, " ")).toBe("seen also seen")
})

const limits = { source: 1000, text: 200, elements: 20, depth: 5 }
const tidy = (html: string): string => tidyHtml(html, limits).html

test("tidy HTML is closed in order, as browsers read it", () => {
  expect(tidy("<ul><li>a<li>b</ul>c")).toBe("<ul><li>a</li><li>b</li></ul>c")
  expect(tidy("<p>a<p>b<div>c")).toBe("<p>a</p><p>b</p><div>c</div>")
  expect(tidy("<b><i>x</b>y</i>")).toBe("<b><i>x</i></b>y")
  expect(tidy("</p>a</div>")).toBe("a")
  expect(tidy("<br/><img src=a><hr>")).toBe('<br><img src="a"><hr>')
})

test("head and body are found, whether they are marked or not", () => {
  const parts = { title: "A &amp; b", html: "<p>x</p>y" }
  expect(
    tidyHtml("<html><head><meta charset=x><title>A &amp; b</title></head><body class=a><p>x</p>y", limits),
  ).toMatchObject(parts)
  expect(tidyHtml("<!doctype html><TITLE>A &amp; b</TITLE><p>x</p>y</body></html>", limits)).toMatchObject(parts)
})

test("attributes are read as browsers do, and few are kept", () => {
  expect(tidy(`<a HREF='a"b' onclick=x() title=t>x</a>`)).toBe('<a href="a&quot;b" title="t">x</a>')
  expect(tidy("<a href=/x/y/>x</a>")).toBe('<a href="/x/y/">x</a>')
  expect(tidy('<a title=">" href = "y">x')).toBe('<a title=">" href="y">x</a>')
  expect(tidy('<a href="x" href="y">x</a>')).toBe('<a href="x">x</a>')
  expect(tidy('a <a href="never closed')).toBe("a ")
  expect(tidy("1 < 2 <3 <> </>")).toBe("1 &lt; 2 &lt;3 &lt;> ")
})

test("what is too deep, too long or too much is left out", () => {
  expect(tidy(`${"<div>".repeat(9)}x${"</div>".repeat(9)}y`)).toBe(
    "<div><div><div><div><div>x</div></div></div></div></div>y",
  )
  expect(tidyHtml("a".repeat(900), limits)).toMatchObject({ html: "a".repeat(200), elements: 0, isCut: true })
  expect(tidyHtml("<br>".repeat(30), limits)).toMatchObject({ html: "<br>".repeat(20), elements: 20, isCut: true })
  expect(tidyHtml(`<p>${"a".repeat(10)}</p>`, limits).isCut).toBe(false)
})

/** Pages that would keep the libraries busy for minutes, or break them. */
const hostile: { readonly [name: string]: string } = {
  nesting: "<div>".repeat(5000) + sentence,
  "nesting of two kinds": "<b><p>x".repeat(5000),
  "nested quotations": `${"<blockquote>".repeat(50)}<pre>${"a\n".repeat(50_000)}`,
  "nested lists": "<ul><li>a".repeat(5000),
  "nested tables": "<table><tr><td>".repeat(5000),
  "a long list": `<ol>${"<li>a</li>".repeat(10_000)}`,
  "many ends of nothing": "<a>".repeat(50_000) + "</b>".repeat(50_000),
  entities: "&lt;".repeat(100_000),
  angles: "<".repeat(100_000),
  "spaces in code": `<pre>a${" ".repeat(150_000)}b${"\n".repeat(150_000)}c</pre><p><code> ${"a ".repeat(40_000)}b</code>`,
  spaces: `<table><tr><td>a${"\u2003".repeat(200_000)}b</td><td>c</td></tr></table>`,
  attributes: `<p ${Array.from({ length: 20_000 }, (_, i) => `a${i}=1`).join(" ")}>x`,
  "open quotes": '<a href="'.repeat(50_000),
  "open scripts": "<script>".repeat(50_000),
  "open comments": "<!--".repeat(50_000),
  "much text": "word ".repeat(500_000),
}

test.each(Object.entries(hostile))("a page cannot keep us busy with %s", async (_name, body) => {
  const page = await toMarkdown(`<body>${body}`, at)
  expect(page.markdown.length).toBeLessThan(2_000_000)
})

test("whatever comes, something is given back and nothing is thrown", async () => {
  const piece = fc.constantFrom(
    ..."<p>|</p>|<div>|</div>|<table>|<tr>|<td>|</table>|<pre>|</pre>|<a href=x>|</a>|<li>|<ol>|<|>|&|\"|'|<!--|-->|<script>|</script>|text |=|/|<h1>|<html>|<constructor>|<a:b-c.d>|<table/>|<![CDATA[|<?xml ?>|<svg>|</body>|\u0000".split(
      "|",
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const { markdown: text } = await toMarkdown(pieces.join(""), at)
      expect(typeof text).toBe("string")
    }),
    { ...runs(20) },
  )
})
