import { signal } from "@preact/signals";

/**
 * `none`: this browser keeps nothing; `preparing`: files are being kept; `ready`: the page runs without a
 * network; `incomplete`: not all files could be had.
 */
export const offline = signal<"none" | "preparing" | "ready" | "incomplete">("none");

/** True if a newer version of the page waits for a reload. */
export const updated = signal(false);

let registration: ServiceWorkerRegistration | null = null;

/** Starts the service worker, which keeps the files of the page. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const container = navigator.serviceWorker;
  container.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.data === "kept") offline.value = "ready";
    if (event.data === "incomplete") offline.value = "incomplete";
  });
  offline.value = "preparing";
  container
    .register("./sw.js")
    .then((made) => {
      registration = made;
      const look = () => {
        // The first worker of this browser brings nothing new.
        if (made.waiting && made.active) updated.value = true;
      };
      const follow = (worker: ServiceWorker | null) =>
        worker?.addEventListener("statechange", () => {
          look();
          // It lacks files without which it cannot start.
          if (worker.state === "redundant" && !made.active) offline.value = "incomplete";
        });
      follow(made.installing);
      made.addEventListener("updatefound", () => follow(made.installing));
      look();
      return container.ready;
    })
    .then((ready) => ready.active?.postMessage("keep"))
    .catch(() => (offline.value = "none"));
}

/** Loads the newer version. Tabs of this one go on as they are. */
export function renew(): void {
  const waiting = registration?.waiting;
  if (!waiting) return location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
  waiting.postMessage("renew");
}
