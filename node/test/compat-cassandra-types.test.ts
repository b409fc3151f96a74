/** The types of the drop-in for npm `cassandra-driver`, against the driver's, without a server. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as dropIn from 'spikewire/compat/cassandra-driver'
import { driver, withoutDriver } from './support/cassandra.js'

// biome-ignore lint/suspicious/noExplicitAny: the other driver has no types here
type Any = any

const skip = { skip: withoutDriver }

/** What an expression has with both: a text, or that it throws. */
function same(...expressions: ((module: Any) => unknown)[]): void {
  for (const expression of expressions) {
    const [theirs, ours] = [driver(), dropIn].map((module) => {
      try {
        return String(expression(module))
      } catch (error) {
        return error instanceof TypeError ? 'TypeError' : 'error'
      }
    })
    assert.equal(ours, theirs, String(expression))
  }
}

test('64-bit integers', skip, () => {
  const texts = ['0', '-1', '9223372036854775807', '-9223372036854775808', '4294967296', '-77']
  const operations = [
    ...['add', 'subtract', 'multiply', 'div', 'mod', 'and', 'or', 'xor', 'compare', 'equals'],
    ...['lessThan', 'gte'],
  ]
  for (const one of texts) {
    same(
      ({ types: { Long } }) => Long.fromString(one).toNumber(),
      ({ types: { Long } }) => Long.toBuffer(Long.fromString(one)).toString('hex'),
      ({ types: { Long } }) => Long.fromNumber(Number(one)),
      ({ types: { Long } }) => Long.fromString(one, true).toString(16),
      ({ types: { Long } }) => Long.fromString(one).negate().not().shiftLeft(3).shru(1),
      ({ types: { Long } }) => Long.fromString(one).getNumBitsAbs(),
      ({ types: { Long } }) => JSON.stringify({ value: Long.fromString(one) }),
    )
    for (const two of texts) {
      for (const operation of operations) {
        same(({ types: { Long } }) => Long.fromString(one)[operation](Long.fromString(two)))
      }
    }
  }
  same(
    ({ types: { Long } }) => Long.fromString('7f', 16),
    ({ types: { Long } }) => Long.fromString(''),
    ({ types: { Long } }) => Long.fromBits(-1, 1),
    ({ types: { Long } }) => Long.fromValue({ low: 1, high: 2 }),
    ({ types: { Long } }) => Long.isLong(Long.ONE),
  )
  // Both know each other's instances.
  const theirs = driver().types.Long.fromNumber(5)
  assert.equal(dropIn.types.Long.isLong(theirs), true)
  assert.equal(dropIn.types.Long.ONE.add(theirs).toString(), '6')
})

test('integers and decimals of any size', skip, () => {
  const texts = [
    '0',
    '1',
    '-1',
    '255',
    '-256',
    '123456789012345678901234567890',
    '-98765432109876543210',
  ]
  for (const one of texts) {
    same(
      ({ types: { Integer } }) => Integer.toBuffer(Integer.fromString(one)).toString('hex'),
      ({ types: { Integer } }) => Integer.fromString(one).toNumber(),
      ({ types: { Integer } }) => Integer.fromString(one).toString(16),
      ({ types: { Integer } }) => Integer.fromString(one).shiftLeft(9).shiftRight(3).abs(),
      ({ types: { Integer } }) => Integer.fromString(one).getBits(1),
      ({ types: { BigDecimal } }) => BigDecimal.fromString(`${one}.05`).toNumber(),
      ({ types: { BigDecimal } }) =>
        BigDecimal.toBuffer(BigDecimal.fromString(`${one}.05`)).toString('hex'),
    )
    for (const two of texts) {
      for (const operation of [
        'add',
        'subtract',
        'multiply',
        'divide',
        'modulo',
        'compare',
        'xor',
      ]) {
        same(({ types: { Integer } }) =>
          Integer.fromString(one)[operation](Integer.fromString(two)),
        )
      }
      for (const operation of ['add', 'subtract', 'compare', 'equals']) {
        same(({ types: { BigDecimal } }) =>
          BigDecimal.fromString(`${one}.5`)[operation](BigDecimal.fromString(two)),
        )
      }
    }
  }
  same(
    ({ types: { BigDecimal } }) => BigDecimal.fromNumber(-0.25),
    ({ types: { BigDecimal } }) => BigDecimal.fromNumber(1e-7),
    ({ types: { BigDecimal } }) => new BigDecimal(-5, 3),
    ({ types: { Integer } }) => Integer.fromString('1-2'),
  )
})

test('UUIDs, dates, times, durations and addresses', skip, () => {
  const id = '83424005-a4c4-11d5-b879-616263646566'
  same(
    ({ types: { Uuid } }) => Uuid.fromString(id.toUpperCase()),
    ({ types: { Uuid } }) => Uuid.fromString('x'),
    ({ types: { Uuid } }) => Uuid.fromString(id).getBuffer().toString('hex'),
    ({ types: { TimeUuid } }) => JSON.stringify(TimeUuid.fromString(id).getDatePrecision()),
    ({ types: { TimeUuid } }) => TimeUuid.fromString(id).getNodeIdString(),
    ({ types: { TimeUuid } }) => TimeUuid.fromDate(new Date(5e11), 9, 'abcdef', 'zz'),
    ({ types: { TimeUuid } }) => TimeUuid.min(new Date(0), 0),
    ({ types: { TimeUuid } }) => TimeUuid.max(new Date(0), 0),
    ({ types: { LocalDate } }) => LocalDate.fromString('2024-02-29'),
    ({ types: { LocalDate } }) => LocalDate.fromString('-2147483648'),
    ({ types: { LocalDate } }) => new LocalDate(-44, 3, 15).toBuffer().toString('hex'),
    ({ types: { LocalDate } }) => LocalDate.fromString('today'),
    ({ types: { LocalTime } }) => LocalTime.fromString('23:59:59.000000100'),
    ({ types: { LocalTime } }) => LocalTime.fromMilliseconds(86_400_000),
    ({ types: { LocalTime } }) => LocalTime.fromString('01:02').toBuffer().toString('hex'),
    ({ types: { InetAddress } }) => InetAddress.fromString('::ffff:1.2.3.4').buffer.toString('hex'),
    ({ types: { InetAddress } }) => InetAddress.fromString('2001:db8::1:0:0:1'),
    ({ types: { InetAddress } }) => InetAddress.fromString('not one'),
    ({ types: { Tuple } }) => new Tuple(1, 'a'),
    ({ types: { Vector } }) => JSON.stringify(new Vector([1, 2])),
    ({ types }) => types.dataTypes.getByName('map<text, list<int>>').info[1].info.code,
    ({ types }) => types.getDataTypeNameByCode({ code: 34, info: { code: 9 } }),
  )
  const durations = [
    '1y2mo3w4d5h6m7s8ms9us10ns',
    '-3d',
    'P1Y2M3DT4H5M6S',
    '-P2W',
    'P0001-02-03T04:05:06',
    'PX',
  ]
  for (const text of durations) {
    same(
      ({ types: { Duration } }) => Duration.fromString(text),
      ({ types: { Duration } }) => Duration.fromString(text).toBuffer().toString('hex'),
      ({ types: { Duration } }) => Duration.fromBuffer(Duration.fromString(text).toBuffer()),
    )
  }
})

test('names: everything public is there', skip, () => {
  const internal = [
    ...['FrameHeader', 'opcodes', 'frameFlags', 'resultKind'],
    ...['GraphExecutor', 'DefaultExecutionOptions', 'proxyExecuteKey'],
  ]
  const names = (value: Any, path: string): string[] =>
    Object.keys(value ?? {})
      .filter((name) => !internal.includes(name))
      .flatMap((name) => {
        const inner = value[name]
        const isSpace = typeof inner === 'object' && path.split('.').length < 2
        return [`${path}${name}`, ...(isSpace ? names(inner, `${path}${name}.`) : [])]
      })
  const isOf = (name: string) =>
    !/^(datastax|metadata|mapping\.q|types\.protocolVersion)\./.test(name)
  const missing = names(driver(), '').filter((name) => {
    if (!isOf(name)) return false
    let value: Any = dropIn
    for (const part of name.split('.')) value = value?.[part]
    return value === undefined
  })
  assert.deepEqual(missing, [])
})

test('namespaces have the types, too', () => {
  const id: dropIn.types.Uuid = dropIn.types.TimeUuid.now()
  const level: dropIn.types.consistencies = dropIn.types.consistencies.quorum
  const policy: dropIn.policies.retry.RetryPolicy = new dropIn.policies.retry.RetryPolicy()
  const options: dropIn.ClientOptions = {
    policies: { retry: policy },
    queryOptions: { consistency: level },
  }
  const read = (result: dropIn.types.ResultSet): dropIn.types.Row => result.first()
  const mapper = (client: dropIn.Client): dropIn.mapping.ModelMapper<{ id: number }> =>
    new dropIn.mapping.Mapper(client).forModel<{ id: number }>('x')
  assert.ok([id, options, read, mapper].every((it) => it !== undefined))
})

test('what is of DataStax Enterprise says so', () => {
  const { auth, Client, geometry, errors } = dropIn
  const client = new Client({ contactPoints: ['127.0.0.1'] })
  const refused = (call: () => unknown) =>
    assert.throws(call, (error: Error) => {
      assert.ok(error instanceof errors.NotSupportedError)
      assert.match(error.message, /DataStax Enterprise/)
      return true
    })
  refused(() => new auth.DseGssapiAuthProvider())
  refused(() => new (geometry['Point'] as new () => object)())
  return assert.rejects(client.executeGraph('g.V()') as Promise<never>, /DataStax Enterprise/)
})

test('options that the native session does not have are refused at once', () => {
  const { Client } = dropIn
  const options = { contactPoints: ['127.0.0.1'], localDataCenter: 'dc1' }
  const refused = (more: object, why: RegExp) =>
    assert.throws(() => new Client({ ...options, ...more }), why)
  refused({ protocolOptions: { maxVersion: 3 } }, /versions 4 and 5/)
  refused({ sslOptions: { checkServerIdentity: () => undefined } }, /checkServerIdentity/)
  refused({ contactPoints: [] }, /contactPoints/)
})
