import { defineConfig } from "@playwright/test";

/** The system's Chromium; nothing is downloaded. */
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "tests",
  timeout: 60_000,
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  // A busy machine may keep a test waiting too long once. The report names those that needed two attempts.
  retries: 1,
  reporter: [["list"]],
  snapshotPathTemplate: "{testDir}/screenshots/{arg}{ext}",
  expect: {
    timeout: 15_000,
    // Another version of Chromium or of the fonts draws edges a little differently.
    toHaveScreenshot: { maxDiffPixels: 100, threshold: 0.25, animations: "disabled", caret: "hide" },
  },
  use: {
    actionTimeout: 10_000,
    baseURL: "http://localhost:4173/",
    locale: "en-GB",
    timezoneId: "UTC",
    colorScheme: "light",
    viewport: { width: 1280, height: 860 },
    launchOptions: {
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--font-render-hinting=none",
      ],
    },
  },
  webServer: {
    command: "npx vite preview",
    url: "http://localhost:4173/",
    reuseExistingServer: false,
    timeout: 30_000,
  },
});
