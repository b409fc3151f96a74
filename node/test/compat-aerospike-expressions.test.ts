/** Expressions of the drop-in for npm `aerospike` do what those of npm `aerospike` do. */

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
