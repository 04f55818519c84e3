// The addresses of files that are fetched when they are needed.

import { MillError } from "./error.js";

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

/** Returns the address of a file: that of its option, or else the usual one. */
export function addressOfFile(name, usual, options = {}) {
    const option = optionOf(name);
    if (option !== "variantsUrl") return addressOf(options[option], usual);
    return options.variantsUrl
        ? new URL(`${name}.bin`, addressOf(options.variantsUrl, null, "folder"))
        : usual;
}
