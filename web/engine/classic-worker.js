// The same worker for owners that start a classic one, `new Worker("classic-worker.js")`, as chess GUIs do.
// What they send before the module is there waits for it.

const early = [];
self.onmessage = (event) => early.push(event);
import("./worker.js").then(
    () => early.forEach((event) => self.onmessage(event)),
    (error) =>
        setTimeout(() => {
            throw error;
        }),
);
