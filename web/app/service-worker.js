// Keeps the files of the page, so that it works without a network after the first visit.
// The build fills in the version and the lists.
const VERSION = "";
const EARLY = [];
const LATE = [];
const ASKED = {};

/** Other copies of the page on the same host, in other folders, have files of their own. */
const PREFIX = `millstone-page ${new URL(self.registration.scope).pathname} `;
const NAME = PREFIX + VERSION;
const address = (file) => new URL(file, self.registration.scope).href;
const kept = new Set([...EARLY, ...LATE].map(([file]) => address(file)));
/** A name with a checksum stands for the same bytes in all versions. */
const hasChecksum = (url) => url.startsWith(address("assets/"));
/**
 * Files that are kept once the page has asked for them are listed by the checksum in their name. Returns the
 * beginning of their SHA-256, or nothing for other files.
 */
const sumOfAsked = (url) => hasChecksum(url) && url.endsWith(".bin") && ASKED[url.slice(-12, -4)];

/**
 * Fetches a file. Anything else in its place, as the page that some hosts send for a missing file, is an error.
 */
function get(url, integrity) {
  const ask = (cache) => fetch(url, { cache, integrity });
  // The browser's own cache may have it already, or something else in its place.
  return hasChecksum(url) ? ask("default").catch(() => ask("reload")) : ask("no-cache");
}

/**
 * Keeps the files that are not kept yet, as many as can be had; fails if not all can. What an older version
 * has kept is not fetched again.
 */
async function keep(files) {
  const cache = await caches.open(NAME);
  const failures = [];
  for (const [file, sum] of files) {
    const url = address(file);
    try {
      if (await cache.match(url)) continue;
      const older = hasChecksum(url) ? await caches.match(url) : null;
      await cache.put(url, older ?? (await get(url, sum)));
    } catch (error) {
      failures.push(`${url}: ${error.message}`);
    }
  }
  if (failures.length > 0) throw new Error(failures.join("\n"));
}

/** Deletes the files of other versions, unless more tabs are open than the `known` ones that are surely new. */
async function clean(known) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (tabs.length > known) return;
  const names = await caches.keys();
  // A newer version, which waits, has its files there already.
  if (self.registration.installing || self.registration.waiting) return;
  // A tab of an older version may have asked for more meanwhile.
  await inherit().catch(() => {});
  for (const name of names) if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
}

/** Keeps what the page has asked other versions for. */
async function inherit() {
  const cache = await caches.open(NAME);
  for (const name of await caches.keys()) {
    const older = await caches.open(name);
    for (const { url } of await older.keys())
      if (sumOfAsked(url)) await cache.put(url, await older.match(url));
  }
}

/** Returns a file that the page asks for, and keeps it from now on. */
async function keepAsked(url) {
  const known = await caches.match(url);
  if (known) return known;
  let file;
  // The browser's own cache may have something else in its place.
  for (const cache of ["default", "reload"]) {
    file = await fetch(url, { cache });
    const sum = await crypto.subtle.digest("SHA-256", await file.clone().arrayBuffer());
    if (btoa(String.fromCharCode(...new Uint8Array(sum, 0, 6))) !== sumOfAsked(url)) continue;
    // Without room it is fetched again the next time.
    await (await caches.open(NAME)).put(url, file.clone()).catch(() => {});
    break;
  }
  // If it is not what it should be, the engine says so.
  return file;
}

/** Keeps what this version needs before it may take the place of another one. */
async function prepare() {
  await keep(EARLY);
  // The version before had the large files too. What is missing now the next visit tries again.
  if (self.registration.active) await keep(LATE).catch(() => {});
}

self.addEventListener("install", (event) => {
  // Requests for tablebase files need not wait for this worker, where browsers know such routes.
  const routes = ["wdl", "dist"].map((kind) => ({
    condition: { urlPattern: { pathname: `/*.${kind}`, protocol: "http{s}?", hostname: "*", port: "*" } },
    source: "network",
  }));
  event.addRoutes?.(routes).catch(() => {});
  // It then waits until no tab of another version is open, or until the reader wants the new one.
  event.waitUntil(prepare());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(clean(0).then(() => self.clients.claim()));
});

/**
 * The page asks for the large files once it runs, and is told if all are kept; or it asks for a new version.
 */
self.addEventListener("message", (event) => {
  if (event.data === "renew") event.waitUntil(self.skipWaiting());
  if (event.data !== "keep") return;
  const say = (text) => event.source?.postMessage(text);
  // What is missing now the next visit tries again.
  const all = keep([...EARLY, ...LATE]).then(
    () => {
      say("kept");
      return clean(1);
    },
    () => say("incomplete"),
  );
  event.waitUntil(all);
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  url.hash = "";
  url.search = "";
  const isPage = event.request.mode === "navigate" && url.href === address("index.html");
  const name = isPage ? address("./") : url.href;
  // Parts of files, other hosts and unknown files are none of its business. A tab of an older version asks
  // for files that the host may no longer have.
  const isOwn = event.request.method === "GET" && (kept.has(name) || hasChecksum(name));
  if (!isOwn || event.request.headers.has("range")) return;
  if (sumOfAsked(name)) return event.respondWith(keepAsked(name));
  event.respondWith(
    (async () => {
      const cache = kept.has(name) ? await caches.open(NAME) : caches;
      return (await cache.match(name)) ?? fetch(event.request);
    })(),
  );
});
