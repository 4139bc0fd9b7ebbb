/** The walls, over the house as it stands. What each wall catches is shown in walls.test.ts. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { circleBreaches } from "./walls/circles.ts"
import { exportBreaches } from "./walls/exports.ts"
import { sizeBreaches } from "./walls/functions.ts"
import { moduleBreaches } from "./walls/modules.ts"
import { networkModuleBreaches } from "./walls/network-modules.ts"
import { chance, connections, environment, machine, placeBreaches, shellStrings, time, voice } from "./walls/places.ts"
import { breadthBreaches, mapBreaches } from "./walls/rooms.ts"
import { readTree } from "./walls/source.ts"
import { earlyNames } from "./walls/shape.ts"
import { stateBreaches } from "./walls/state.ts"
import { storeyBreaches } from "./walls/storeys.ts"
import { toolNameBreaches } from "./walls/tool-names.ts"
import { typeNameBreaches } from "./walls/type-names.ts"
import { vagueNames } from "./walls/vague-names.ts"

const root = resolve(import.meta.dir, "../..")
const programs = await readTree(root, ["src", "scripts", "bench"])
const house = programs.filter(({ path }) => path.startsWith("src/"))
const map = Bun.file(`${root}/docs/ARCHITECTURE.md`)

test("files import from their own room and from storeys below", () => {
  expect(storeyBreaches(house)).toEqual([])
})

test("imports run in no circle, types included", () => {
  expect(circleBreaches(house)).toEqual([])
})

test("no module holds state that can change", () => {
  expect(stateBreaches(house)).toEqual([])
})

test("modules of the runtime stay out of pure rooms", () => {
  expect(moduleBreaches(house)).toEqual([])
})

test.each([machine, environment, voice, time, chance, connections])("$what", (place) => {
  expect(placeBreaches(house, place)).toEqual([])
})

test("modules that open connections are imported only where connections are made", () => {
  expect(networkModuleBreaches(house)).toEqual([])
})

test("nobody asks for a tool by its name", () => {
  expect(toolNameBreaches(house)).toEqual([])
})

test("no name of a type has three meanings", () => {
  expect(typeNameBreaches(house)).toEqual([])
})

test("no function, variable or parameter has a name that fits every act", () => {
  expect(vagueNames(house)).toEqual([])
})

test("no process is started through a shell string", () => {
  expect(placeBreaches(programs, shellStrings)).toEqual([])
})

test("nothing is passed on but by the door, and nothing is a default", () => {
  expect(exportBreaches(house)).toEqual([])
})

test.skipIf(!(await map.exists()))("every room is on the map", async () => {
  expect(mapBreaches(house, await map.text())).toEqual([])
})

test("no folder has more files than one can look over", () => {
  expect(breadthBreaches(house)).toEqual([])
})

test("no function has too much in it to be read at once", () => {
  expect(sizeBreaches(house)).toEqual([])
})

test("no name in a function is used before it exists", async () => {
  expect(await earlyNames(root, "src")).toEqual([])
})
