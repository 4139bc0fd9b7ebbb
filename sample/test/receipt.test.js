import assert from "node:assert/strict"
import { test } from "node:test"
import { createCard } from "../src/loyalty.js"
import { addItem, createOrder } from "../src/order.js"
import { formatMoney, printReceipt } from "../src/receipt.js"

test("money has two places", () => {
  assert.equal(formatMoney(1205), "12.05")
})

test("prices stand on the right", () => {
  const lines = printReceipt(addItem(createOrder(), "mint tea", 2), createCard()).split("\n")
  assert.equal(lines[2], "2 x mint tea                    5.60")
})

test("the total is the last price", () => {
  const receipt = printReceipt(addItem(createOrder(), "espresso"), createCard())
  assert.match(receipt, /Total\s+2\.20\n/)
})
