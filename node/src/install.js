"use strict";
/** What npm runs after it unpacked the package: builds the native part if no package brought it. */
Object.defineProperty(exports, "__esModule", { value: true });
const node_fs_1 = require("node:fs");
const building_js_1 = require("./building.js");
const loading_js_1 = require("./loading.js");
function install() {
    if ((0, loading_js_1.locate)() !== undefined || !(0, node_fs_1.existsSync)(building_js_1.SOURCES))
        return;
    process.stderr.write(`spikewire: there is no package for ${(0, loading_js_1.platform)()}, so it is built from source\n`);
    (0, building_js_1.buildFromPackage)();
}
try {
    install();
}
catch (error) {
    process.stderr.write(`spikewire: ${error.message}\n` +
        'spikewire: when that is mended, `npx spikewire build` builds the native part\n');
    process.exitCode = 1;
}
//# sourceMappingURL=install.js.map