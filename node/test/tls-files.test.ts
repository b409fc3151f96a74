/** Encrypted private keys and lists of revoked certificates. */

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Client } from 'spikewire'
import { type Certificates, Cluster } from 'spikewire/testing'

/** The list of an authority that nobody uses here, valid until 2126. */
const LIST = `-----BEGIN X509 CRL-----
MIG0MFsCAQEwCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPc3Bpa2V3aXJlLXRlc3Rz
Fw0yNjExMjkyMzEzMjdaGA8yMTI2MTEwNTIzMTMyN1qgDjAMMAoGA1UdFAQDAgEB
MAoGCCqGSM49BAMCA0kAMEYCIQCITbeA+SeeYYsUK8jnbU2oLjQRRK4X3HTHI+Ob
cbtaAwIhAKXjtbAFzZJzZgzUQtd0KMBQ//K74B+n7Tt158I24Zyt
-----END X509 CRL-----
`

async function secured(work: (cluster: Cluster, files: Certificates) => Promise<void>) {
  const cluster = await Cluster.start({ tls: { clientCertificates: true } })
  try {
    await work(cluster, cluster.certificates as Certificates)
  } finally {
    await cluster.close()
  }
}

test('an encrypted key takes its passphrase', () =>
  secured(async (cluster, files) => {
    const plain = readFileSync(files.key)
    const key = createPrivateKey(plain).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'hidden',
    })
    const tls = { ca: readFileSync(files.ca), cert: readFileSync(files.certificate), key }
    const client = await Client.connect(cluster.seeds, { tls: { ...tls, passphrase: 'hidden' } })
    await client.dataset('test', 'users').put(1, { n: 1 })
    await client.close()
    await assert.rejects(Client.connect(cluster.seeds, { tls }), /it needs its password/)
    await assert.rejects(
      Client.connect(cluster.seeds, { tls: { ...tls, passphrase: 'hiddem' } }),
      (error: Error) => /password is wrong/.test(error.message) && !/hidde/.test(error.message),
    )
    await assert.rejects(
      Client.connect(cluster.seeds, { tls: { ...tls, key: plain, passphrase: 'hidden' } }),
      /is not encrypted, so it takes no password/,
    )
    await assert.rejects(
      Client.connect(cluster.seeds, { tls: { ca: tls.ca, passphrase: 'hidden' } }),
      /tls.passphrase goes with tls.key/,
    )
  }))

test('nodes that no list of revoked certificates covers are rejected', () =>
  secured(async (cluster, files) => {
    const [cert, key] = [readFileSync(files.certificate), readFileSync(files.key)]
    const tls = { ca: readFileSync(files.ca), cert, key }
    for (const crl of [LIST, Buffer.from(LIST), [LIST]]) {
      await assert.rejects(
        Client.connect(cluster.seeds, { tls: { ...tls, crl } }),
        /no list of revoked certificates covers/,
      )
    }
    await assert.rejects(
      Client.connect(cluster.seeds, { tls: { ...tls, crl: tls.ca } }),
      /there is no list of revoked certificates in PEM format/,
    )
    await assert.rejects(
      Client.connect(cluster.seeds, { tls: { ...tls, crl: LIST, crlCheck: 'all' as 'leaf' } }),
      /tls.crlCheck must be 'chain' or 'leaf', got "all"/,
    )
  }))
