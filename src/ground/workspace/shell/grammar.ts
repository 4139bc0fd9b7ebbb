/** The positive grammar: the kinds of syntax that are read at all. Anything else is not understood. */

import { forEachChild, type HereDoc, type ParsedScript, type SyntaxNode } from "unbash"

const accepted: ReadonlySet<SyntaxNode["type"]> = new Set([
  "AndOr",
  "ArithmeticBinary",
  "ArithmeticCommand",
  "ArithmeticCommandExpansion",
  "ArithmeticExpansion",
  "ArithmeticFor",
  "ArithmeticGroup",
  "ArithmeticTernary",
  "ArithmeticUnary",
  "ArithmeticWord",
  "Assignment",
  "AnsiCQuoted",
  "ArrayValue",
  "BraceExpansion",
  "BraceGroup",
  "Case",
  "CaseItem",
  "CaseModification",
  "Command",
  "CommandExpansion",
  "CompoundList",
  "Default",
  "DoubleQuoted",
  "Elif",
  "FileDescriptor",
  "For",
  "Function",
  "Glob",
  "HereDoc",
  "HereDocBody",
  "HereDocDelimiter",
  "HereString",
  "If",
  "Literal",
  "Negation",
  "ParameterExpansion",
  "Pipeline",
  "ProcessSubstitution",
  "Redirect",
  "Redirected",
  "Remove",
  "Replace",
  "Script",
  "SimpleExpansion",
  "SingleQuoted",
  "Slice",
  "Statement",
  "Subshell",
  "TestBinary",
  "TestCommand",
  "TestGroup",
  "TestLogical",
  "TestNot",
  "TestUnary",
  "Time",
  "While",
  "Word",
])

/** Display names of the kinds that come up and are refused. */
const names: { readonly [type: string]: string } = {
  Coproc: "a coprocess",
  ExtendedGlob: "an extended pattern",
  FileDescriptorVariable: "a descriptor kept in a variable",
  LocaleString: "a translated text",
  Select: "a select loop",
  Transform: "an expansion that changes a value",
}

export interface SourceSpan {
  readonly pos: number
  readonly end: number
}

export interface Survey {
  /** Why the tree cannot be trusted, each reason once. */
  readonly doubts: readonly string[]
  /** Whether the parser itself found invalid syntax. */
  readonly broken: boolean
  /** How many simple commands there are, at any depth. */
  readonly commands: number
  /** The bodies of here-documents, which belong to no command's own span. */
  readonly bodies: readonly SourceSpan[]
}

/** Visits every node, including those that the parser creates lazily. */
export function survey(tree: ParsedScript): Survey {
  const doubts = new Set<string>()
  const bodies: SourceSpan[] = []
  let broken = false
  let commands = 0
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") commands++
    if (!accepted.has(node.type)) doubts.add(`it uses ${names[node.type] ?? node.type}`)
    if (node.type === "Script" && node.errors?.length) {
      broken = true
      doubts.add(`it does not parse: ${node.errors[0]?.message ?? "unknown error"}`)
    }
    // Positions inside count from another text, in which backslashes were taken off.
    if (node.type === "Script" && node.source !== undefined) doubts.add("it nests backticks")
    if (hasNoScript(node)) doubts.add("it nests too deep")
    if (node.type === "HereDoc") {
      const body = bodyOf(node)
      if (body) bodies.push(body)
      else doubts.add("a here-document does not end")
    }
    forEachChild(node, visit)
  }
  visit(tree)
  return { doubts: [...doubts], broken, commands, bodies: bodies.toSorted((a, b) => a.pos - b.pos) }
}

function hasNoScript(node: SyntaxNode): boolean {
  const isScript =
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "ArithmeticCommandExpansion"
  return isScript && node.script === undefined
}

function bodyOf({ body, closing, delimiter }: HereDoc): SourceSpan | undefined {
  return closing && delimiter ? { pos: body.pos, end: closing.end } : undefined
}
