/** `[[ … ]]` as far as it only compares strings and checks files; arithmetic is not understood. */

import type { TestCommand, TestExpression, Word } from "unbash"
import type { Argument } from "./argument.ts"
import { unary } from "./condition.ts"
import type { Reading } from "./reading.ts"
import { emptySegment } from "./segment.ts"
import { holdsNumber, type State } from "./state.ts"
import { readWord } from "./word.ts"

const comparisons: ReadonlySet<string> = new Set(["=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"])
const numberComparisons: ReadonlySet<string> = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])

/** Certainly a number: a name would be evaluated, and its subscript could run a command. */
const number = /^(?:\d+|\$[?#])$/

const isNumber = (side: Argument | undefined, { text }: Word): boolean =>
  number.test(text) || (side !== undefined && holdsNumber(side))

/** A pattern after `=~` without quotes, expansions or spaces. */
const plainPattern = /^[\w.^$*+?()|[\]{},:@/-]+$/

export function walkDoubleBracket(node: TestCommand, state: State, reading: Reading): void {
  const text = reading.source.slice(node.pos, node.end)
  let at = node.pos
  let expected = "[["

  const reach = (word: Word, before: string): Argument | undefined => {
    if (reading.gap(at, word.pos) !== expected + before) reading.doubt("a test is not read whole")
    const [read] = readWord(word, "whole", { reading, state, compares: true })
    at = word.end
    expected = ""
    return read
  }

  const visit = (expression: TestExpression): void => {
    switch (expression.type) {
      case "TestUnary": {
        const { operator, operand } = expression
        const isBare = operator === "-n" && reading.gap(at, operand.pos) === expected
        if (!unary.has(operator) || operator === "-t") reading.doubt(`a test uses ${operator}`)
        reach(operand, isBare ? "" : operator)
        return
      }
      case "TestBinary": {
        const { operator, left, right } = expression
        const sides = [reach(left, ""), reach(right, operator)]
        const isReckoned =
          numberComparisons.has(operator) && sides.every((side, i) => isNumber(side, i === 0 ? left : right))
        const isMatched = operator === "=~" && plainPattern.test(right.text) && !/\$[({]/.test(right.text)
        if (!comparisons.has(operator) && !isReckoned && !isMatched) reading.doubt(`a test uses ${operator}`)
        return
      }
      case "TestLogical":
        for (const [i, operand] of expression.operands.entries()) {
          if (i > 0) expected += expression.operator
          visit(operand)
        }
        return
      case "TestNot":
        expected += "!".repeat(expression.negations.length)
        return visit(expression.operand)
      case "TestGroup":
        expected += "("
        visit(expression.expression)
        expected += ")"
    }
  }

  // Comments and line ends inside would be passed over in silence.
  if (/[#\n]/.test(text)) reading.doubt("a test holds more than words")
  visit(node.expression)
  if (reading.gap(at, node.end) !== `${expected}]]`) reading.doubt("a test is not read whole")
  reading.add(emptySegment(text, state))
}
