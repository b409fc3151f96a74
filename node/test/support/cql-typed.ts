/** What the types of `spikewire/cql` allow and reject: compiling this is the test. */

import assert from 'node:assert/strict'
import {
  type Bound,
  type CqlValue,
  connect,
  Decimal,
  type Prepared,
  type Query,
  type Rows,
  type Session,
  type Trace,
  UNSET,
} from 'spikewire/cql'

interface Address {
  street: string
  zip: number | null
}

class Home implements Address {
  constructor(
    readonly street: string,
    readonly zip: number,
  ) {}

  label(): string {
    return this.street
  }
}

/** Never called. */
export async function checked(session: Session, insert: Prepared, address: Address): Promise<void> {
  const loose: CqlValue | undefined = (await session.execute('SELECT 1')).first()?.['id']
  const rows: Rows<{ id: number }> = await session.execute<{ id: number }>('SELECT id', [1, UNSET])
  const id: number | undefined = rows.first()?.id
  const query: Query<{ id: number }> = session.query<{ id: number }>(insert, { id: 1 })
  await session.execute(insert, [address, new Home('Elm', 1), [address], new Map([['a', address]])])
  await session.execute(insert, { home: address, price: Decimal.from('1'), tags: new Set(['a']) })

  const many: Rows<{ id: number }>[] = await session.executeMany<{ id: number }>(insert, [
    [1],
    { id: 2 },
  ])
  const count: number = await session.executeMany(insert, new Set([[1]]), { results: false })
  const mixed: (Rows | Error)[] = await session.executeMany(insert, [], { errors: 'return' })
  const bound: Bound = insert.bind([1, address])
  await session.execute(bound)
  const trace: Trace = await session.trace(rows)
  session.registerType('shop.address', Home)
  await connect(['db1', 'db2:9042'], { tls: { ca: ['PEM'], cert: 'PEM', key: Buffer.alloc(0) } })
  assert.ok(loose && id && query && many && count && mixed && trace)

  // @ts-expect-error: no value of CQL
  await session.execute(insert, [undefined])
  // @ts-expect-error: it was not awaited
  await session.execute(insert, [session.execute(insert)])
  // @ts-expect-error: no value of CQL
  await session.execute(insert, [() => 1])
  // @ts-expect-error: within a list, too
  await session.execute(insert, [[undefined]])
  // @ts-expect-error: no such option
  await session.execute(insert, [1], { consistencyLevel: 'one' })
  // @ts-expect-error: no such level
  await session.execute(insert, [1], { consistency: 'most' })
  // @ts-expect-error: each row is an array or an object
  await session.executeMany(insert, [1, 2])
  // @ts-expect-error: it has the values of one row
  await session.executeMany(bound, [])
  // @ts-expect-error: a page is of one statement
  await session.executeMany(insert, [], { pagingState: Buffer.alloc(1) })
  // @ts-expect-error: a promise is not a session
  connect('db1').execute('SELECT 1')
  // @ts-expect-error: the name in Python
  await connect('db1', { tls: { private_key: 'PEM' } })
  // @ts-expect-error: a boolean
  await connect('db1', { tls: { rejectUnauthorized: 'no' } })
  // @ts-expect-error: no class
  session.registerType('shop.address', new Home('Elm', 1))
}
