// The files that are fetched when they are needed: their addresses, by name.

import { MillError } from "./error.js";

/** The usual addresses, beside this module. A bundler finds them in this form. */
const FILES = {
    certificate: new URL("./dist/certificate.bin", import.meta.url),
    tablebase: new URL("./dist/tablebase.bin", import.meta.url),
    "network-twelve": new URL("./dist/network-twelve.bin", import.meta.url),
    "network-morabaraba-free": new URL("./dist/network-morabaraba-free.bin", import.meta.url),
    "network-dooz": new URL("./dist/network-dooz.bin", import.meta.url),
    "network-lasker": new URL("./dist/network-lasker.bin", import.meta.url),
    "network-nerenchi": new URL("./dist/network-nerenchi.bin", import.meta.url),
    "network-mul-mulan": new URL("./dist/network-mul-mulan.bin", import.meta.url),
    "network-el-filja": new URL("./dist/network-el-filja.bin", import.meta.url),
    "network-ten-men": new URL("./dist/network-ten-men.bin", import.meta.url),
    "network-morabaraba": new URL("./dist/network-morabaraba.bin", import.meta.url),
    "network-russian": new URL("./dist/network-russian.bin", import.meta.url),
    "network-cham-gonu": new URL("./dist/network-cham-gonu.bin", import.meta.url),
    "network-zhi-qi": new URL("./dist/network-zhi-qi.bin", import.meta.url),
    "network-cheng-san-qi": new URL("./dist/network-cheng-san-qi.bin", import.meta.url),
    "network-da-san-qi": new URL("./dist/network-da-san-qi.bin", import.meta.url),
    "tablebase-no-flying": new URL("./dist/tablebase-no-flying.bin", import.meta.url),
    "tablebase-el-filja": new URL("./dist/tablebase-el-filja.bin", import.meta.url),
    "tablebase-ten-men": new URL("./dist/tablebase-ten-men.bin", import.meta.url),
    "tablebase-twelve": new URL("./dist/tablebase-twelve.bin", import.meta.url),
    "tablebase-morabaraba-free": new URL("./dist/tablebase-morabaraba-free.bin", import.meta.url),
    "tablebase-lasker": new URL("./dist/tablebase-lasker.bin", import.meta.url),
    "tablebase-nerenchi": new URL("./dist/tablebase-nerenchi.bin", import.meta.url),
    "tablebase-mul-mulan": new URL("./dist/tablebase-mul-mulan.bin", import.meta.url),
    "tablebase-dooz": new URL("./dist/tablebase-dooz.bin", import.meta.url),
};

/** Returns the address that an option names, or else the usual one. */
export function addressOf(named, usual, kind = "file") {
    if (!named) return usual;
    try {
        return new URL(named, import.meta.url);
    } catch {
        throw new MillError("bad-argument", `found '${named}', expected the address of a ${kind}`);
    }
}

/** The option that names the address of a file, or of its folder. */
const optionOf = (name) =>
    name === "certificate" ? "certificateUrl" : name === "tablebase" ? "tablebaseUrl" : "variantsUrl";

/** Returns the names in a text, with spaces between them. */
export const namesOf = (text) => text.split(" ").filter(Boolean);

/** Returns the name of the option that leaves a file out, if one does. */
export function leftOut(name, options) {
    const option = optionOf(name);
    return options[option] === "" ? option : null;
}

/** Returns the address of a file. */
export function addressOfFile(name, options = {}) {
    const option = optionOf(name);
    if (option !== "variantsUrl") return addressOf(options[option], FILES[name]);
    return options.variantsUrl
        ? new URL(`${name}.bin`, addressOf(options.variantsUrl, null, "folder"))
        : FILES[name];
}
