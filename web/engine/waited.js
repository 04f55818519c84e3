// The files that searches wait for, by name: their usual addresses, beside this module. A bundler finds them in
// this form.

export const WAITED = {
    certificate: new URL("./dist/certificate.bin", import.meta.url),
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
};
