import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { serviceWorker } from "./worker.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Relative addresses, so that the page runs in any folder of any host.
  base: "./",
  // An unknown address is an error, not the page.
  appType: "mpa",
  resolve: { alias: { "millstone-mill": here("../engine/index.js") } },
  plugins: [serviceWorker(here("./service-worker.js"))],
  worker: { format: "es" },
  build: {
    target: "es2022",
    // Files stay files: the security policy then needs no exceptions.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  preview: { port: 4173, strictPort: true },
});
