/** The wall against floating promises: a promise is awaited, returned, kept, or let go with `void`, never forgotten. */

import { type Expression, type Node, SyntaxKind } from "typescript/unstable/ast"
import {
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIdentifier,
  isParenthesizedExpression,
  isPropertyAccessExpression,
} from "typescript/unstable/ast/is"
import { API, type Checker, type Type, TypeFlags, type UnionType } from "typescript/unstable/async"

/** Every statement of a project, given by the folder of its tsconfig.json, that makes a promise and forgets it. */
export async function floatingBreaches(root: string): Promise<readonly string[]> {
  const api = new API({ cwd: root })
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] })
    const project = snapshot.getProjects()[0]
    if (!project) return [`${root}/tsconfig.json does not open`]
    const paths = (await project.program.getSourceFileNames()).filter((path) => isOurs(path, root))
    const files = await Promise.all(paths.map((path) => project.program.getSourceFile(path)))
    const calls = files.flatMap((file) => (file ? statements(file).flatMap(loose) : []))
    const types = calls.length === 0 ? [] : await project.checker.getTypeAtLocation(calls)
    const isPromise = promises(project.checker)
    const floating = await Promise.all(types.map((type) => (type ? isPromise(type) : false)))
    return calls.filter((_, index) => floating[index]).map((call) => describe(call, root))
  } finally {
    await api.close()
  }
}

const isOurs = (path: string, root: string): boolean => path.startsWith(`${root}/`) && !path.includes("/node_modules/")

function describe(call: Expression, root: string): string {
  const file = call.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(call.getStart())
  const [text = ""] = call.getText().split("\n")
  return `${file.fileName.slice(root.length + 1)}:${line + 1} ${text}: the promise is forgotten; await it or say void`
}

function statements(node: Node): readonly Expression[] {
  const found: Expression[] = []
  const visit = (child: Node): void => {
    if (isExpressionStatement(child)) found.push(child.expression)
    child.forEachChild(visit)
  }
  node.forEachChild(visit)
  return found
}

/** The calls whose value a statement drops: the last of a comma, either side of a choice. */
function loose(node: Expression): readonly Expression[] {
  if (isParenthesizedExpression(node)) return loose(node.expression)
  if (isConditionalExpression(node)) return [...loose(node.whenTrue), ...loose(node.whenFalse)]
  if (isBinaryExpression(node))
    return droppingOperators.has(node.operatorToken.kind) ? [...loose(node.left), ...loose(node.right)] : []
  return isCallExpression(node) && !isHandled(node.expression) && !isOfTests(node) ? [node] : []
}

const droppingOperators: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
  SyntaxKind.CommaToken,
])

const isHandled = (callee: Expression): boolean => isPropertyAccessExpression(callee) && callee.name.text === "catch"

/**
 * What the test runner offers gives nothing to wait for, but for `resolves` and `rejects`. Most statements of tests are
 * such calls, and the type of one costs the types of all that is written inside it.
 */
function isOfTests(call: Expression): boolean {
  let node = call
  while (isCallExpression(node) || (isPropertyAccessExpression(node) && !settling.has(node.name.text)))
    node = node.expression
  return isIdentifier(node) && ofTests.has(node.text)
}

const ofTests: ReadonlySet<string> = new Set([
  "expect",
  "test",
  "describe",
  "beforeAll",
  "beforeEach",
  "afterAll",
  "afterEach",
])
const settling: ReadonlySet<string> = new Set(["resolves", "rejects"])

/** Whether a type, or a part of a union, can be awaited. Most statements share few types, so each is asked once. */
function promises(checker: Checker): (type: Type) => Promise<boolean> {
  const known = new Map<number, Promise<boolean>>()
  const ask = async (type: Type): Promise<boolean> => {
    if (type.flags & TypeFlags.Union) {
      const parts = await (type as UnionType).getTypes()
      return (await Promise.all(parts.map(look))).includes(true)
    }
    if (!(type.flags & TypeFlags.Object)) return false
    return (await checker.getPropertyOfType(type, "then")) !== undefined
  }
  const look = (type: Type): Promise<boolean> => {
    const answer = known.get(type.id) ?? ask(type)
    known.set(type.id, answer)
    return answer
  }
  return look
}
