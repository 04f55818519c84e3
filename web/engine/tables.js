// The files of the built-in tablebase, by name: their usual addresses, beside this module. A bundler finds them
// in this form.

export const TABLES = {
    tablebase: new URL("./dist/tablebase.bin", import.meta.url),
    "tablebase-no-flying": new URL("./dist/tablebase-no-flying.bin", import.meta.url),
    "tablebase-el-filja": new URL("./dist/tablebase-el-filja.bin", import.meta.url),
    "tablebase-ten-men": new URL("./dist/tablebase-ten-men.bin", import.meta.url),
    "tablebase-twelve": new URL("./dist/tablebase-twelve.bin", import.meta.url),
    "tablebase-morabaraba": new URL("./dist/tablebase-morabaraba.bin", import.meta.url),
    "tablebase-morabaraba-free": new URL("./dist/tablebase-morabaraba-free.bin", import.meta.url),
    "tablebase-lasker": new URL("./dist/tablebase-lasker.bin", import.meta.url),
    "tablebase-nerenchi": new URL("./dist/tablebase-nerenchi.bin", import.meta.url),
    "tablebase-mul-mulan": new URL("./dist/tablebase-mul-mulan.bin", import.meta.url),
    "tablebase-dooz": new URL("./dist/tablebase-dooz.bin", import.meta.url),
};
