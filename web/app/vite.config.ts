import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { serviceWorker } from "./worker.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The engine's package runs in Node too, and loads modules of Node there. The page has no use for them. */
const external = /^node:/;

export default defineConfig({
  // Relative addresses, so that the page runs in any folder of any host.
  base: "./",
  // An unknown address is an error, not the page.
  appType: "mpa",
  // So the parts of the package that are for Node alone are left out.
  define: { process: "undefined" },
  resolve: { alias: { "millstone-mill": here("../engine/index.js") } },
  plugins: [serviceWorker(here("./service-worker.js"))],
  worker: { format: "es", rolldownOptions: { external } },
  build: {
    target: "es2022",
    // Files stay files: the security policy then needs no exceptions.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { external },
  },
  preview: { port: 4173, strictPort: true },
});
