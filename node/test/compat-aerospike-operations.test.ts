/** Operations of the drop-in for npm `aerospike` do what those of npm `aerospike` do. */

import { after, before, test } from 'node:test'
import { bitCases, sketchCases } from './compat-cases/bits.js'
import { listCases } from './compat-cases/lists.js'
import { contextCases, mapCases } from './compat-cases/maps.js'
import { plainCases } from './compat-cases/plain.js'
import { withoutAerospike } from './support/aerospike.js'
import { Both } from './support/aerospike-both.js'

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
