import { expect, test } from "bun:test"
import { readableOutput } from "#lib/readable-output.ts"

test("colours, cursor movement and titles go; line ends become plain", () => {
  expect(readableOutput("\u001b[1;31mred\u001b[0m\r\n\u001b]0;title\u0007next\u001b[2K\rlast")).toBe("red\nnext\nlast")
})

test("other control characters are shown", () => {
  expect(readableOutput("a\0b\u0007c\u007f\u0085\td")).toBe("a␀b␇c␡\ufffd\td")
})

test("ordinary text is left alone", () => {
  expect(readableOutput("é “x”\n\t☃")).toBe("é “x”\n\t☃")
})
