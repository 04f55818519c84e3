import { defineConfig } from "@playwright/test";
import usual from "../../playwright.config";

const { use = {} } = usual;

/** Measurements: one at a time, and nothing but what they print themselves. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.ts",
  timeout: 0,
  workers: 1,
  reporter: "null",
  use,
});
