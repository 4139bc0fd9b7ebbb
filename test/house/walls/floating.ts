/**
 * The walls that need types: a promise is awaited, returned, kept, or let go with `void`, never forgotten, and no
 * object is put into a template, where it would read "[object Object]".
 */

import { type Expression, type Node, SyntaxKind } from "typescript/unstable/ast"
import {
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIdentifier,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isTaggedTemplateExpression,
  isTemplateSpan,
} from "typescript/unstable/ast/is"
import { API, type Type, TypeFlags, type UnionType } from "typescript/unstable/async"

/** Every promise that a statement of a project, given by the folder of its tsconfig.json, makes and forgets, and every object in a template. */
export async function floatingBreaches(root: string): Promise<readonly string[]> {
  const api = new API({ cwd: root })
  // It takes 2 GB at the end in any case, and collecting garbage on the way there is a seventh of its work.
  using _ = variables({ GOGC: "off", GOMEMLIMIT: "2GiB" })
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] })
    const project = snapshot.getProjects()[0]
    if (!project) return [`${root}/tsconfig.json does not open`]
    const paths = (await project.program.getSourceFileNames()).filter((path) => isOurs(path, root))
    const files = await Promise.all(paths.map((path) => project.program.getSourceFile(path)))
    const { dropped, shown } = expressionsIn(files.filter((file) => file !== undefined))
    const calls = dropped.flatMap(loose)
    const all = [...calls, ...shown]
    const types = all.length === 0 ? [] : await project.checker.getTypeAtLocation(all)
    const isPromise = anyPart(async (type) => (await project.checker.getPropertyOfType(type, "then")) !== undefined)
    const isUntold = anyPart(async (type) => !tellable.has((await type.getSymbol())?.name ?? ""))
    const breaches = await Promise.all(
      all.map(async (each, index) => {
        const type = types[index]
        if (!type) return []
        if (index < calls.length)
          return (await isPromise(type)) ? describe(each, root, "the promise is forgotten; await it or say void") : []
        return (await isUntold(type)) ? describe(each, root, "an object in a template; name what of it is meant") : []
      }),
    )
    return breaches.flat()
  } finally {
    await api.close()
  }
}

/** Has processes that are started meanwhile find these in their environment. */
function variables(set: Readonly<Record<string, string>>): Disposable {
  const before = Object.keys(set).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, set)
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    },
  }
}

/** Objects that say something useful as a string. */
const tellable: ReadonlySet<string> = new Set(["Buffer", "Date", "RegExp", "URL"])

const isOurs = (path: string, root: string): boolean => path.startsWith(`${root}/`) && !path.includes("/node_modules/")

function describe(call: Expression, root: string, why: string): string {
  const file = call.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(call.getStart())
  const [text = ""] = call.getText().split("\n")
  return `${file.fileName.slice(root.length + 1)}:${line + 1} ${text}: ${why}`
}

/** What statements drop, and what templates show. */
function expressionsIn(files: readonly Node[]): { readonly dropped: Expression[]; readonly shown: Expression[] } {
  const dropped: Expression[] = []
  const shown: Expression[] = []
  const visit = (child: Node): void => {
    if (isExpressionStatement(child)) dropped.push(child.expression)
    if (isTemplateSpan(child) && !isTaggedTemplateExpression(child.parent.parent)) shown.push(child.expression)
    child.forEachChild(visit)
  }
  for (const file of files) file.forEachChild(visit)
  return { dropped, shown }
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

/** Whether an object type, or one in a union, is such. Most expressions share few types, so each is asked once. */
function anyPart(isSuch: (type: Type) => Promise<boolean>): (type: Type) => Promise<boolean> {
  const known = new Map<number, Promise<boolean>>()
  const ask = async (type: Type): Promise<boolean> => {
    if (type.flags & TypeFlags.Union) {
      const parts = await (type as UnionType).getTypes()
      return (await Promise.all(parts.map(look))).includes(true)
    }
    return type.flags & TypeFlags.Object ? isSuch(type) : false
  }
  const look = (type: Type): Promise<boolean> => {
    const answer = known.get(type.id) ?? ask(type)
    known.set(type.id, answer)
    return answer
  }
  return look
}
