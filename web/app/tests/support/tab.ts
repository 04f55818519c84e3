import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession } from "@playwright/test";

/**
 * A tab as readers have it. A page of Playwright reports every request and every answer to the test, which
 * keeps the browser and the test busy; this one only answers what it is asked.
 */
export class Tab {
  private last = 0;
  private readonly waiting = new Map<
    number,
    { done: (value: unknown) => void; failed: (error: Error) => void }
  >();

  private constructor(
    private readonly browser: CDPSession,
    private readonly context: string,
    private readonly session: string,
  ) {
    browser.on("Target.receivedMessageFromTarget", ({ sessionId, message }) => {
      const { id, result, error } = JSON.parse(message);
      const asked = sessionId === session && this.waiting.get(id);
      if (!asked) return;
      this.waiting.delete(id);
      const fault = error?.message ?? result.exceptionDetails?.exception?.description;
      if (fault) asked.failed(new Error(fault));
      else asked.done(result.result.value);
    });
  }

  static async open(browser: Browser, url: string, size: { width: number; height: number }): Promise<Tab> {
    const root = await browser.newBrowserCDPSession();
    const { browserContextId } = await root.send("Target.createBrowserContext");
    const { targetId } = await root.send("Target.createTarget", { url, browserContextId, ...size });
    const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: false });
    return new Tab(root, browserContextId, sessionId);
  }

  /** Calls a function in the page, with an argument that JSON can hold. */
  call<A, R>(job: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
    const id = ++this.last;
    const params = {
      expression: `(${job})(${JSON.stringify(argument)})`,
      awaitPromise: true,
      returnByValue: true,
    };
    const message = JSON.stringify({ id, method: "Runtime.evaluate", params });
    return new Promise<R>((done, failed) => {
      this.waiting.set(id, { done: done as (value: unknown) => void, failed });
      this.browser.send("Target.sendMessageToTarget", { sessionId: this.session, message }).catch(failed);
    });
  }

  /** Waits until an element is there. */
  async waitFor(selector: string): Promise<void> {
    for (let n = 0; n < 500; n++) {
      // The page may just take the place of the empty one.
      if (await this.call((text) => document.querySelector(text) !== null, selector).catch(() => false))
        return;
      await sleep(20);
    }
    throw new Error(`found no ${selector} after 10 seconds`);
  }

  async close(): Promise<void> {
    await this.browser.send("Target.disposeBrowserContext", { browserContextId: this.context });
    await this.browser.detach();
  }
}
