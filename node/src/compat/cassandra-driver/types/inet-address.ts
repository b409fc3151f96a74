/** IP addresses. */

import { isIPv4, isIPv6 } from 'node:net'
import { inspect } from 'node:util'

/** The bytes of an IPv6 address; `undefined` if the text is none. */
function bytesOfV6(text: string): Buffer | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined
  const [head, tail] = text.split('::') as [string, string | undefined]
  const words = (part: string | undefined): number[] =>
    (part ?? '').split(':').flatMap((word) => {
      if (word === '') return []
      if (!word.includes('.')) return [Number.parseInt(word, 16)]
      const four = word.split('.').map(Number) as [number, number, number, number]
      return [four[0] * 256 + four[1], four[2] * 256 + four[3]]
    })
  const [first, last] = [words(head), words(tail)]
  const bytes = Buffer.alloc(16)
  first.forEach((word, at) => {
    bytes.writeUInt16BE(word, 2 * at)
  })
  last.forEach((word, at) => {
    bytes.writeUInt16BE(word, 16 - 2 * (last.length - at))
  })
  return bytes
}

/** Text of an IPv6 address, the longest run of zeros left out. */
function textOfV6(bytes: Buffer): string {
  const words = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16))
  let [start, length] = [-1, 0]
  for (let from = 0; from < 8; from++) {
    let to = from
    while (words[to] === '0') to++
    if (to - from > length) [start, length] = [from, to - from]
  }
  if (start < 0) return words.join(':')
  return `${words.slice(0, start).join(':')}::${words.slice(start + length).join(':')}`
}

/** An `inet`. */
export class InetAddress {
  readonly buffer: Buffer
  /** The number of its bytes: 4 or 16. */
  readonly length: number
  /** 4 or 6. */
  readonly version: number

  /**
   * @param buffer - 4 or 16 bytes
   * @throws TypeError for anything else
   */
  constructor(buffer: Buffer) {
    if (!Buffer.isBuffer(buffer) || (buffer.length !== 4 && buffer.length !== 16)) {
      throw new TypeError('an IP address has 4 or 16 bytes')
    }
    this.buffer = buffer
    this.length = buffer.length
    this.version = buffer.length === 4 ? 4 : 6
  }

  /** @throws TypeError if it is no address */
  static fromString(value: string): InetAddress {
    if (!value) return new InetAddress(Buffer.alloc(4))
    if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value)) {
      return new InetAddress(Buffer.from(value.split('.').map(Number)))
    }
    const bytes = bytesOfV6(value)
    if (bytes === undefined) throw new TypeError(`${value} is no IP address`)
    const isMapped =
      bytes.readUInt16BE(10) === 0xffff && bytes.subarray(0, 10).every((it) => it === 0)
    if (value.includes('.') && !isMapped) {
      throw new TypeError(`${value}: only an IPv4-mapped address may end in an IPv4 address`)
    }
    return new InetAddress(bytes)
  }

  getBuffer(): Buffer {
    return this.buffer
  }

  equals(other: InetAddress | unknown): boolean {
    return other instanceof InetAddress && this.buffer.equals(other.buffer)
  }

  toString(encoding?: string): string {
    if (encoding === 'hex') return this.buffer.toString('hex')
    return this.version === 4 ? [...this.buffer].join('.') : textOfV6(this.buffer)
  }

  toJSON(): string {
    return this.toString()
  }

  inspect(): string {
    return `${this.constructor.name}: ${this}`
  }

  [inspect.custom](): string {
    return this.inspect()
  }
}

/** @internal An address that a server sent. */
export function inetOfText(text: string): InetAddress {
  if (isIPv4(text)) return new InetAddress(Buffer.from(text.split('.').map(Number)))
  return new InetAddress(bytesOfV6(text) as Buffer)
}
