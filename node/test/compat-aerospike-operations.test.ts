/** Operations of the drop-in for npm `aerospike` do what those of npm `aerospike` do. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bitCases, sketchCases } from './compat-cases/bits.js'
import { listCases } from './compat-cases/lists.js'
import { contextCases, mapCases } from './compat-cases/maps.js'
import { plainCases } from './compat-cases/plain.js'
import { withoutAerospike } from './support/aerospike.js'
import { Both } from './support/aerospike-both.js'
import type { Theirs } from './support/aerospike-pair.js'

let both: Both

before(async () => {
  if (!withoutAerospike) both = await Both.open('operations')
})

after(() => both?.close())

const skip = withoutAerospike

test('operations on whole bins agree with npm aerospike', { skip }, (t) =>
  both.compare(t, plainCases),
)

test('operations on lists agree with npm aerospike', { skip }, (t) => both.compare(t, listCases))

test('operations on maps agree with npm aerospike', { skip }, (t) => both.compare(t, mapCases))

test('paths to nested lists and maps agree with npm aerospike', { skip }, (t) =>
  both.compare(t, contextCases),
)

test('operations on bits agree with npm aerospike', { skip }, (t) =>
  both.compare(t, bitCases, {
    'bitwise lscan': 'npm aerospike looks for the last bit here, too',
  }),
)

test('operations on sketches agree with npm aerospike', { skip }, async (t) => {
  const sketches = await both.sketches()
  await both.compare(t, (module) => sketchCases(module, sketches))
})

test('the modules of operations have the names of npm aerospike', { skip }, () => {
  const [ours, theirs] = [both.ours.module, both.theirs.module]
  for (const name of ['operations', 'lists', 'maps', 'bitwise', 'hll', 'filter', 'info', 'cdt']) {
    // The numbers of operations are internal.
    const names = Object.keys(theirs[name]).filter((each) => each !== 'opcodes')
    const missing = names.filter((each) => !(each in ours[name]))
    assert.deepEqual(missing, [], name)
  }
  for (const [name, constants] of [
    ['lists', ['order', 'sortFlags', 'writeFlags', 'returnType']],
    ['maps', ['order', 'writeMode', 'writeFlags', 'returnType']],
    ['bitwise', ['writeFlags', 'resizeFlags', 'overflow']],
    ['hll', ['writeFlags']],
  ] as const) {
    for (const each of constants) {
      assert.deepEqual({ ...ours[name][each] }, { ...theirs[name][each] }, `${name}.${each}`)
    }
  }
})

test('operations have the properties of npm aerospike', { skip }, () => {
  const [ours, theirs] = [both.ours.module, both.theirs.module]
  const cases = (module: Theirs) => [
    ...[...plainCases(module), ...listCases(module), ...mapCases(module), ...bitCases(module)],
    ...contextCases(module),
  ]
  const expected = cases(theirs)
  for (const [at, { name, make }] of cases(ours).entries()) {
    assert.deepEqual(properties(make), properties(expected[at]?.make), name)
  }
})

/** The properties of operations, or the name of the error. */
function properties(make: (() => Theirs) | undefined): unknown {
  try {
    return JSON.parse(JSON.stringify(make?.(), readable))
  } catch (error) {
    return (error as Error).name
  }
}

/** A property; expressions have parts of their own. */
function readable(name: string, value: unknown): unknown {
  if (name === 'exp') return 'an expression'
  return typeof value === 'bigint' || typeof value === 'function' ? String(value) : value
}
