// Keeps the files of the page, so that it works without a network after the first visit.
// The build fills in the three lists.
const VERSION = "";
const EARLY = [];
const LATE = [];

const NAME = `millstone-page-${VERSION}`;
const address = (file) => new URL(file, self.registration.scope).href;
const kept = new Set([...EARLY, ...LATE].map(address));

/** Fetches the files that are not kept yet. Names with a checksum may come from the browser's own cache. */
async function keep(files) {
  const cache = await caches.open(NAME);
  for (const url of files.map(address)) {
    if (await cache.match(url)) continue;
    const response = await fetch(url, { cache: url.includes("/assets/") ? "default" : "no-cache" });
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    await cache.put(url, response);
  }
}

self.addEventListener("install", (event) => {
  // Requests for tablebase files need not wait for this worker, where browsers know such routes.
  const routes = ["wdl", "dist"].map((kind) => ({
    condition: { urlPattern: { pathname: `/*.${kind}`, protocol: "http{s}?", hostname: "*", port: "*" } },
    source: "network",
  }));
  event.addRoutes?.(routes).catch(() => {});
  event.waitUntil(keep(EARLY).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith("millstone-page-") && name !== NAME) await caches.delete(name);
      await self.clients.claim();
    })(),
  );
});

/** The page asks for the large files once it runs, and is told when all are kept. */
self.addEventListener("message", (event) => {
  if (event.data !== "keep") return;
  event.waitUntil(
    keep([...EARLY, ...LATE]).then(
      () => event.source?.postMessage("kept"),
      // Without a network now: the next visit tries again.
      () => {},
    ),
  );
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  url.hash = "";
  url.search = "";
  const name = event.request.mode === "navigate" && url.href.endsWith("/index.html") ? address("./") : url.href;
  // Parts of files, other hosts and unknown files are none of its business.
  if (event.request.method !== "GET" || !kept.has(name) || event.request.headers.has("range")) return;
  event.respondWith(
    (async () => {
      const cache = await caches.open(NAME);
      return (await cache.match(name)) ?? fetch(event.request);
    })(),
  );
});
