"use strict";
/** Builds the native part with cargo, where no package has it. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.SOURCES = void 0;
exports.build = build;
exports.buildFromPackage = buildFromPackage;
const node_child_process_1 = require("node:child_process");
const node_fs_1 = require("node:fs");
const node_path_1 = require("node:path");
const loading_js_1 = require("./loading.js");
/** The Rust sources that come with the package. A checkout has none: it is the sources. */
exports.SOURCES = (0, node_path_1.join)(__dirname, '..', 'rust');
/** Builds the native part and puts it where it is looked for. Returns that file's name. */
function build({ workspace, profile, target, strip }) {
    if (!(0, node_fs_1.existsSync)((0, node_path_1.join)(workspace, 'Cargo.toml'))) {
        throw new Error(`there are no Rust sources in ${workspace}`);
    }
    const args = ['build', '--package', 'spikewire-node', '--profile', profile ?? 'release'];
    args.push('--locked', '--message-format', 'json-render-diagnostics');
    if (target)
        args.push('--target', target.rust);
    if (strip)
        args.push('--config', `profile.${profile ?? 'release'}.strip = "symbols"`);
    const name = target?.name ?? (0, loading_js_1.platform)();
    const env = { ...process.env };
    // Rust links statically for musl unless told otherwise, and a library to load must not be static.
    if (name.endsWith('-musl')) {
        env['RUSTFLAGS'] = `${env['RUSTFLAGS'] ?? ''} -C target-feature=-crt-static`.trim();
    }
    const built = (0, node_child_process_1.spawnSync)('cargo', args, {
        cwd: workspace,
        env,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (built.error) {
        throw new Error(`cargo does not run (${built.error.message}): building from source needs Rust 1.88 or later ` +
            'and a C compiler');
    }
    if (built.status !== 0)
        throw new Error(`cargo failed, its exit code was ${built.status}`);
    const library = built.stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .filter(({ reason, target }) => reason === 'compiler-artifact' && target?.name === CRATE)
        .flatMap(({ filenames }) => filenames ?? [])
        .find((file) => /\.(so|dylib)$/.test(file));
    if (library === undefined)
        throw new Error('cargo built no library');
    // Renamed into place: a program that has the old file loaded keeps it.
    const place = (0, loading_js_1.nativeFile)(name);
    (0, node_fs_1.mkdirSync)((0, node_path_1.dirname)(place), { recursive: true });
    (0, node_fs_1.copyFileSync)(library, `${place}.new`);
    (0, node_fs_1.renameSync)(`${place}.new`, place);
    return place;
}
const CRATE = 'spikewire_node';
/** Builds the sources in this package, and clears away what only the compiler needed. */
function buildFromPackage() {
    try {
        return build({ workspace: exports.SOURCES, strip: true });
    }
    finally {
        (0, node_fs_1.rmSync)((0, node_path_1.join)(exports.SOURCES, 'target'), { recursive: true, force: true });
    }
}
//# sourceMappingURL=building.js.map