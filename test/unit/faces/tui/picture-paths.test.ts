/** What a terminal types when files are dropped on it. */

import { expect, test } from "bun:test"
import { picturePaths } from "#faces/tui/picture-paths.ts"

test.each([
  ["/home/ada/a.png", ["/home/ada/a.png"]],
  ["'/home/ada/a b.PNG' ", ["/home/ada/a b.PNG"]],
  ['"/a b.jpg" /c.webp', ["/a b.jpg", "/c.webp"]],
  ["/home/ada/a\\ b.jpeg", ["/home/ada/a b.jpeg"]],
  ["/home/ada/Screenshot 2026 at 10.00.png", ["/home/ada/Screenshot 2026 at 10.00.png"]],
  ["file:///home/ada/a%20b.gif", ["/home/ada/a b.gif"]],
  ["file://localhost/a.png", ["/a.png"]],
  ["file:///a%zz.png", ["file:///a%zz.png"]],
  ["~/a.png", ["~/a.png"]],
  ["/a.png\n/b.png", ["/a.png", "/b.png"]],
  ["logo.png", undefined],
  ["look at /a.png", undefined],
  ["/a.png and more", undefined],
  ["/a.txt", undefined],
  ["'/a.png", undefined],
  ["", undefined],
  ["https://example.com/a.png", undefined],
] as const)("%j", (text, paths) => {
  expect(picturePaths(text)).toEqual(paths as readonly string[] | undefined)
})
