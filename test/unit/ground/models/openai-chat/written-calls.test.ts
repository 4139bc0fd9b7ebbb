/** Calls that models write as text: run where nothing else can be meant, and never where they are only spoken of. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { openTaggedText } from "#ground/models/openai-chat/tagged-text.ts"
import { runs } from "../../../../kit/runs.ts"

const tools = [
  {
    name: "Write",
    description: "Writes.",
    input_schema: { type: "object", properties: { path: { type: "string" }, count: { type: "number" } } },
  },
]

interface Heard {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly (readonly [name: string, json: string])[]
}

/** In pieces of these sizes, over and over. */
function hear(whole: string, sizes: readonly number[] = [7], how: "whole" | "cut" = "whole"): Heard {
  let text = ""
  let thinking = ""
  const calls: [string, string][] = []
  const tagged = openTaggedText({
    text: (piece) => void (text += piece),
    thinking: (piece) => void (thinking += piece),
    call: (name, json) => void calls.push([name, json]),
    tools,
  })
  const out: AnswerEvent[] = []
  for (let at = 0, i = 0; at < whole.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    tagged.push(whole.slice(at, at + size), out)
    at += size
  }
  tagged.end(how, out)
  return { text, thinking, calls }
}

const input = { path: "a.txt", count: 2 }
const json = JSON.stringify(input)
const called = `{"name": "Write", "arguments": ${json}}`

/** Each means one call of `Write` with the input. */
const notations: { readonly [name: string]: string } = {
  "tags around JSON": `<tool_call>\n${called}\n</tool_call>`,
  "tags around JSON with parameters": `<tool_call>{"name": "Write", "parameters": ${json}}</tool_call>`,
  "tags without their end": `<tool_call>\n${called}\n`,
  "input as a string": `<tool_call>{"name": "Write", "arguments": ${JSON.stringify(json)}}</tool_call>`,
  "a function inside": `<tool_call>{"type": "function", "function": {"name": "Write", "arguments": ${json}}}</tool_call>`,
  "parameters in tags": `<tool_call>\n<function=Write>\n<parameter=path>\na.txt\n</parameter>\n<parameter=count>\n2\n</parameter>\n</function>\n</tool_call>`,
  "a function tag": `<function=Write>${json}</function>`,
  "a function tag with parameters": `<function=Write><parameter=path>a.txt</parameter><parameter=count>2</parameter></function>`,
  "keys and values": `<tool_call>Write\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n<arg_key>count</arg_key>\n<arg_value>2</arg_value>\n</tool_call>`,
  "an invocation": `<function_calls>\n<invoke name="Write">\n<parameter name="path">a.txt</parameter>\n<parameter name="count">2</parameter>\n</invoke>\n</function_calls>`,
  "another tag": `<function_call>${called}</function_call>`,
  "a list in bars": `<|tool_call|>[${called}]<|/tool_call|>`,
  "a request in brackets": `[TOOL_REQUEST]${called}[END_TOOL_REQUEST]`,
  "a python tag": `<|python_tag|>${called}`,
  "a mark to the end": `[TOOL_CALLS] [${called}]`,
  "a mark with a name": `[TOOL_CALLS]Write[ARGS]${json}`,
  "a section": `<|tool_calls_section_begin|><|tool_call_begin|>functions.Write:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`,
  "wide bars": `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Write\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "nothing but JSON": called,
  "nothing but JSON in a fence": `\`\`\`json\n${called}\n\`\`\``,
}
/** Those that need no mark, and so must be alone. */
const alone = ["nothing but JSON", "nothing but JSON in a fence"]

const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 })

for (const [name, written] of Object.entries(notations))
  describe(name, () => {
    const expected: Heard["calls"] = [["Write", json]]

    test("is a call, however it is cut into pieces", () => {
      fc.assert(
        fc.property(pieces, fc.constantFrom("", "\n", "<|im_end|>", "</s>\n"), (sizes, end) => {
          if (end !== "" && (alone.includes(name) || name === "tags without their end" || /mark|python/.test(name)))
            return
          expect(hear(written + end, sizes)).toEqual({ text: "", thinking: "", calls: expected })
        }),
        runs(40),
      )
      expect(hear(`<think>I write <tool_call>.</think>\n\n${written}`)).toEqual({
        text: "",
        thinking: "I write <tool_call>.",
        calls: expected,
      })
    })

    test("after a sentence and a line break it is one, too, if it has a mark", () => {
      const heard = hear(`I write it.\n\n${written}`)
      if (alone.includes(name)) expect(heard).toEqual({ text: `I write it.\n\n${written}`, thinking: "", calls: [] })
      else expect(heard).toEqual({ text: "I write it.\n\n", thinking: "", calls: expected })
    })

    const twins: { readonly [twin: string]: string } = {
      "in a sentence": `You write ${written.replaceAll("\n", " ")} for that`,
      "in a code fence": `This is how:\n\`\`\`\`xml\n${written}\n\`\`\`\`\n`,
      "in an open code fence": `This is how:\n~~~\n${written}`,
      "before more words": `${written}\nis how one calls it.`,
      quoted: `It says:\n> ${written.replaceAll("\n", "\n> ")}`,
      indented: `It says:\n\n    ${written.replaceAll("\n", "\n    ")}`,
      "of another tool": written.replaceAll("Write", "Wrote"),
    }
    for (const [twin, text] of Object.entries(twins))
      test(`${twin} it is text, to the letter`, () => {
        fc.assert(
          fc.property(pieces, (sizes) => {
            expect(hear(text, sizes)).toEqual({ text, thinking: "", calls: [] })
          }),
          runs(20),
        )
      })

    test("cut off anywhere, it is never another call", () => {
      for (let size = 0; size < written.length; size++) {
        const heard = hear(written.slice(0, size))
        // Whole without its closing mark, or answered with an error because it cannot be read.
        for (const [tool, told] of heard.calls) expect([tool, told]).toEqual(["Write", json])
        if (heard.calls.length === 0) expect(heard.text).toBe(written.slice(0, size))
        expect(hear(written.slice(0, size), [7], "cut").calls).toEqual([])
      }
    })
  })

test("several in a row are all calls, in their order", () => {
  const other = `<tool_call>{"name":"Write","arguments":{"path":"b"}}</tool_call>`
  const heard = hear(`Both.\n${notations["tags around JSON"]}\n${other}`)
  expect(heard.calls).toEqual([
    ["Write", json],
    ["Write", '{"path":"b"}'],
  ])
})

test("one call that cannot be read leaves the others unrun", () => {
  const heard = hear(`${notations["tags around JSON"]}\n<tool_call>{"name":"Wrote","arguments":{}}</tool_call>`)
  expect(heard.calls).toEqual([])
})

test("the closing mark inside of what is written is part of it", () => {
  const path = "</tool_call>\n<tool_call>"
  const heard = hear(`<tool_call>{"name":"Write","arguments":${JSON.stringify({ path })}}</tool_call>`)
  expect(heard.calls).toEqual([["Write", JSON.stringify({ path })]])
})

test("a call of a tool that cannot be read is told to the model, and never guessed", () => {
  const broken = `{"name": "Write", "arguments": {"path": "a"b"}}`
  expect(hear(`<tool_call>${broken}</tool_call>`).calls).toEqual([["Write", broken]])
  expect(hear(`<tool_call>{"name": "Wrote", "arguments": {"path": "a"b"}}</tool_call>`).calls).toEqual([])
})

test("a fence that opens after something like a call is a fence", () => {
  const text = `${notations["tags around JSON"]}\n\`\`\`\n${notations["tags around JSON"]}`
  fc.assert(
    fc.property(pieces, (sizes) => {
      expect(hear(text, sizes)).toEqual({ text, thinking: "", calls: [] })
    }),
  )
})

test("any text is told to the letter", () => {
  const part = fc.constantFrom(
    "<tool_call>",
    "</tool_call>",
    "```",
    "~~~",
    "\n",
    " ",
    "{",
    '"name":',
    "[TOOL_CALLS]",
    "a",
    "<",
    "|",
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 25 }), pieces, (parts, sizes) => {
      const text = parts.join("")
      expect(hear(text, sizes)).toEqual({ text, thinking: "", calls: [] })
    }),
    runs(500),
  )
})
