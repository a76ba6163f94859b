import { defineConfig, mergeConfig } from "vitest/config";

import page from "./vite.config";

// The files share one environment: to load three, Svelte and the page anew for each took most of the time.
export default mergeConfig(page, defineConfig({ test: { include: ["src/**/*.test.ts"], environment: "node", isolate: false } }));
