import { signal } from "@preact/signals";

/** `none`: this browser keeps nothing; `preparing`: files are being kept; `ready`: the page runs without a network. */
export const offline = signal<"none" | "preparing" | "ready">("none");

/** True if a newer version of the page waits for a reload. */
export const updated = signal(false);

/** Starts the service worker, which keeps the files of the page. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const container = navigator.serviceWorker;
  const hadWorker = container.controller !== null;
  container.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.data === "kept") offline.value = "ready";
  });
  container.addEventListener("controllerchange", () => {
    if (hadWorker) updated.value = true;
  });
  offline.value = "preparing";
  container
    .register("./sw.js")
    .then(() => container.ready)
    .then((registration) => registration.active?.postMessage("keep"))
    .catch(() => (offline.value = "none"));
}
