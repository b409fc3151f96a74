// Loaded by mocha into each process of driver_tests_node.py: what the tests of the driver import from
// its sources is the installed driver, or the drop-in; its helper uses the running node.

'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')

const { DRIVER_TESTS_FOLDER, DRIVER_TESTS_DROP_IN, DRIVER_TESTS_HOST } = process.env
const { DRIVER_TESTS_NAMES, DRIVER_TESTS_PROTOCOL, DRIVER_TESTS_SENTENCES } = process.env
const peer = fs.realpathSync(process.env.DRIVER_TESTS_PEER)
const folder = path.resolve(DRIVER_TESTS_FOLDER)
const lib = path.join(folder, 'lib') + path.sep
const sentences =
  DRIVER_TESTS_SENTENCES === 'ignore' ? require('./driver_tests_sentences.cjs') : undefined
sentences?.noteErrors(path.dirname(DRIVER_TESTS_DROP_IN))
const driver = DRIVER_TESTS_DROP_IN ? require(DRIVER_TESTS_DROP_IN) : undefined
sentences?.noteLogs(driver)

/** Modules of the driver that are its public API, made of the drop-in. */
const PUBLIC =
  driver === undefined
    ? {}
    : {
        auth: driver.auth,
        client: driver.Client,
        concurrent: driver.concurrent,
        'client-options': {
          defaultOptions: driver.defaultOptions,
          extend: (target, ...others) => {
            const { options } = new driver.Client(Object.assign({}, target, ...others))
            return others.length > 0 ? Object.assign(target, options) : options
          },
        },
        errors: driver.errors,
        'execution-options': { ExecutionOptions: driver.ExecutionOptions },
        'execution-profile': { ExecutionProfile: driver.ExecutionProfile },
        geometry: driver.geometry,
        'mapping/mapper': sentences?.Mapper ?? driver.mapping.Mapper,
        'mapping/model-mapper': driver.mapping.ModelMapper,
        'mapping/q': driver.mapping,
        'mapping/result': driver.mapping.Result,
        'mapping/table-mappings': driver.mapping,
        metadata: driver.metadata.Metadata,
        metrics: driver.metrics,
        'metrics/client-metrics': driver.metrics.ClientMetrics,
        policies: driver.policies,
        'policies/address-resolution': driver.policies.addressResolution,
        'policies/load-balancing': driver.policies.loadBalancing,
        'policies/reconnection': driver.policies.reconnection,
        'policies/retry': driver.policies.retry,
        'policies/speculative-execution': driver.policies.speculativeExecution,
        'policies/timestamp-generation': driver.policies.timestampGeneration,
        token: driver.token,
        tracker: driver.tracker,
        tokenizer: require(path.join(path.dirname(DRIVER_TESTS_DROP_IN), 'token.js')),
        types: driver.types,
        'types/result-set': driver.types.ResultSet,
        'types/vector': driver.types.Vector,
      }

const resolve = Module._resolveFilename
Module._resolveFilename = function (request, parent, ...rest) {
  const file = resolve.call(this, request, parent, ...rest)
  const isTest = parent?.filename?.startsWith(path.join(folder, 'test'))
  if (!isTest) return file
  if (file === path.join(folder, 'index.js'))
    return DRIVER_TESTS_DROP_IN ?? path.join(peer, 'index.js')
  if (!file.startsWith(lib)) return file
  const name = file.slice(lib.length).replace(/(\/index)?\.js$/, '')
  if (name in PUBLIC) {
    const id = `drop-in:${name}`
    Module._cache[id] ??= Object.assign(new Module(id), { exports: PUBLIC[name], loaded: true })
    return id
  }
  return path.join(peer, 'lib', file.slice(lib.length))
}

const load = Module._load
Module._load = function (request, parent, isMain) {
  const exports = load.call(this, request, parent, isMain)
  if (/test-helper(\.js)?$/.test(request) && exports?.baseOptions) adapt(exports)
  if (sentences && parent?.filename?.startsWith(path.join(folder, 'test'))) {
    sentences.adaptAssertions(request, exports)
  }
  return exports
}

/**
 * Tests that fail with the driver are skipped: some of them throw in many callbacks at once, which
 * ends a whole suite when the later ones meet one of its hooks.
 */
if (DRIVER_TESTS_NAMES !== undefined) {
  const names = new Set(JSON.parse(DRIVER_TESTS_NAMES))
  exports.mochaHooks = {
    beforeEach() {
      if (!names.has(this.currentTest.fullTitle())) this.skip()
    },
  }
}

/** Uses the running node instead of starting some: what needs several fails with both. */
function adapt(helper) {
  if (helper.isAdapted || DRIVER_TESTS_HOST === undefined) return
  helper.isAdapted = true
  const one = (callback) => callback?.()
  helper.baseOptions.contactPoints = [DRIVER_TESTS_HOST]
  if (DRIVER_TESTS_PROTOCOL === '4') helper.baseOptions.protocolOptions = { maxVersion: 4 }
  helper.ipPrefix = DRIVER_TESTS_HOST.replace(/\d+$/, '')
  helper.getServerInfo = () => ({
    version: '5.0.9',
    isDse: false,
    isHcd: false,
    distribution: 'cassandra',
  })
  helper.ccm.startAll = (_nodes, _options, callback) => one(callback)
  helper.ccm.start = () => one
  helper.ccm.remove = one
  helper.ccm.removeIfAny = one
  helper.ccm.exec = (_params, callback) => callback(new Error('there is no ccm here'))
  helper.ccm.spawn = helper.ccm.exec
}
