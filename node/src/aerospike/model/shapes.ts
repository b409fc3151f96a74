/**
 * Bin names as the native part knows them: a list of names is passed once and has a number from
 * then on. Asking Node-API for the property names of an object would cost more than the rest of a
 * write.
 */

import { types } from 'node:util'
import { native } from './native.js'

interface Node {
  /** The number of the list of names up to this node; -1 if not yet known. */
  number: number
  before: Node | undefined
  next: Map<string, Node>
  /** The child used last time: objects are mostly like the previous one. */
  latest: Node | undefined
  /** The name that leads to this node. */
  name: string
}

/** The maximum number of lists with a number; beyond it, names are passed every time. */
const MOST = 4096

const root = newNode(undefined, '')
let known = 0

/** The number of the bins' names, or the names themselves. Appends the values to `values`. */
export function shapeOf(bins: unknown, values: unknown[]): number | string[] {
  if (typeof bins !== 'object' || bins === null) {
    const type = bins === null ? 'null' : typeof bins
    throw new TypeError(`bins must be an object of bin names to values, not ${type}`)
  }
  if (types.isMap(bins)) return names([...bins], values)
  // The constructor is checked first because that costs nothing.
  if (bins.constructor !== Object) checkSort(bins)
  const start = values.length
  let node = root
  for (const name in bins) {
    if (!Object.hasOwn(bins, name)) continue
    values.push((bins as { [name: string]: unknown })[name])
    if (node.latest !== undefined && node.latest.name === name) {
      node = node.latest
      continue
    }
    let next = node.next.get(name)
    if (next === undefined) {
      if (known >= MOST) {
        values.length = start
        return names(Object.entries(bins), values)
      }
      known++
      next = newNode(node, name)
      node.next.set(name, next)
    }
    node.latest = next
    node = next
  }
  if (node.number < 0) node.number = native.shape(namesOf(node))
  return node.number
}

/**
 * Throws for values that are not plain property bags, such as an array, a Buffer, a promise or a
 * Date.
 */
function checkSort(bins: object): void {
  if (Object.prototype.toString.call(bins) === '[object Object]' && !Array.isArray(bins)) return
  const name = Array.isArray(bins) ? 'an array' : (bins.constructor?.name ?? 'that')
  throw new TypeError(`bins must be an object of bin names to values, not ${name}`)
}

function newNode(before: Node | undefined, name: string): Node {
  return { number: -1, before, next: new Map(), latest: undefined, name }
}

/** The names on the way from the root to a node. */
function namesOf(node: Node): string[] {
  const names: string[] = []
  for (let at = node; at.before !== undefined; at = at.before) names.push(at.name)
  return names.reverse()
}

function names(entries: [unknown, unknown][], values: unknown[]): string[] {
  for (const [, value] of entries) values.push(value)
  return entries.map(([name]) => name as string)
}
