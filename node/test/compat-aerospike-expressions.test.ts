/** Expressions of the drop-in for npm `aerospike` do what those of npm `aerospike` do. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  bitExpressionCases,
  collectionCases,
  sketchExpressionCases,
} from './compat-cases/exp-collections.js'
import { pathCases } from './compat-cases/exp-paths.js'
import { operatorCases, valueCases, writeCases } from './compat-cases/exp-values.js'
import { withoutAerospike } from './support/aerospike.js'
import { Both } from './support/aerospike-both.js'

let both: Both

before(async () => {
  if (!withoutAerospike) both = await Both.open('expressions')
})

after(() => both?.close())

const skip = withoutAerospike

test('constants, bins and metadata agree with npm aerospike', { skip }, (t) =>
  both.compare(t, valueCases),
)

test('operators agree with npm aerospike', { skip }, (t) => both.compare(t, operatorCases))

test('operations that write expressions agree with npm aerospike', { skip }, (t) =>
  both.compare(t, writeCases),
)

test('expressions on lists and maps agree with npm aerospike', { skip }, (t) =>
  both.compare(t, collectionCases),
)

test('expressions on bits agree with npm aerospike', { skip }, (t) =>
  both.compare(t, bitExpressionCases),
)

test('expressions on sketches agree with npm aerospike', { skip }, async (t) => {
  const sketches = await both.sketches()
  await both.compare(t, (module) => sketchExpressionCases(module, sketches))
})

test('paths agree with npm aerospike', { skip }, (t) => both.compare(t, pathCases))

/** What a function does with arguments that are no expressions. */
function built(make: (...args: unknown[]) => unknown, argument: unknown): string {
  try {
    make(...Array.from({ length: 6 }, () => argument))
    return 'an expression'
  } catch (error) {
    return (error as Error).name
  }
}

test('arguments that are no expressions are rejected as by npm aerospike', { skip }, () => {
  const { exp: ours } = both.ours.module
  const { exp: theirs } = both.theirs.module
  for (const family of ['lists', 'maps', 'bit', 'hll']) {
    const names = Object.keys(theirs[family])
    assert.deepEqual(Object.keys(ours[family]).sort(), names.sort())
    for (const name of names) {
      for (const argument of [undefined, null, 5, {}]) {
        const [mine, other] = [ours[family][name], theirs[family][name]]
        assert.equal(built(mine, argument), built(other, argument), `exp.${family}.${name}`)
      }
    }
  }
  for (const name of ['not', 'mapKeys', 'mapValues', 'selectByPath', 'modifyByPath', 'def']) {
    assert.equal(built(ours[name], 5), built(theirs[name], 5), `exp.${name}`)
  }
})

test('exp has the names of npm aerospike', { skip }, () => {
  const { exp: ours } = both.ours.module
  const { exp: theirs } = both.theirs.module
  assert.deepEqual(
    Object.keys(theirs).filter((name) => !(name in ours)),
    [],
  )
  for (const name of [
    'type',
    'loopVarPart',
    'expReadFlags',
    'pathSelectFlags',
    'pathModifyFlags',
  ]) {
    assert.deepEqual({ ...ours[name] }, { ...theirs[name] }, name)
  }
})
