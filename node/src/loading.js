"use strict";
/** Finds the native part and loads it: a package for this platform, or one that was built here. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.runtime = void 0;
exports.platform = platform;
exports.nativeFile = nativeFile;
exports.locate = locate;
exports.load = load;
const node_fs_1 = require("node:fs");
const node_module_1 = require("node:module");
const node_path_1 = require("node:path");
/** What runs this program. Bun and Deno have Node-API, but no libuv of their own loop. */
exports.runtime = 'bun' in process.versions ? 'bun' : 'deno' in process.versions ? 'deno' : 'node';
/** Whether this Linux runs on musl: what `ldd` says of itself, else what the program was built with. */
function onMusl() {
    try {
        return (0, node_fs_1.readFileSync)('/usr/bin/ldd', 'latin1').includes('musl');
    }
    catch {
        const report = process.report?.getReport();
        return report?.header !== undefined && report.header.glibcVersionRuntime === undefined;
    }
}
/** The platform as packages are named after it: `linux-x64-gnu`, `darwin-arm64`. */
function platform() {
    const libc = process.platform === 'linux' ? (onMusl() ? '-musl' : '-gnu') : '';
    return `${process.platform}-${process.arch}${libc}`;
}
/** Where a native part is that was built here. */
function nativeFile(name) {
    return (0, node_path_1.join)(__dirname, '..', 'native', `spikewire.${name}.node`);
}
/** The file of the native part for this platform, if there is one. */
function locate() {
    const forced = process.env['SPIKEWIRE_NATIVE'];
    if (forced)
        return forced;
    const name = platform();
    const built = nativeFile(name);
    if ((0, node_fs_1.existsSync)(built))
        return built;
    try {
        return (0, node_module_1.createRequire)(__filename).resolve(`@spikewire/${name}`);
    }
    catch {
        return undefined;
    }
}
/**
 * Loads the native part, anew for each copy of this module.
 *
 * `require` would hand every copy the same exports: a test runner that evaluates this package once
 * for each test file would mix up promises of one file with those of another.
 */
function load() {
    const file = locate();
    if (file === undefined) {
        throw new Error(`spikewire: there is no native part for ${platform()}: the package @spikewire/${platform()} is ` +
            'not installed (was it left out by --omit=optional?) and nothing was built here. ' +
            '`npx spikewire build` builds it, with Rust and a C compiler.');
    }
    const module = { exports: {} };
    try {
        process.dlopen(module, file);
    }
    catch (cause) {
        throw new Error(`spikewire: ${file} does not load: ${cause.message}`, { cause });
    }
    return module.exports;
}
//# sourceMappingURL=loading.js.map