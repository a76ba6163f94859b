import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** The modules that the page needs before it is shown; they are one file, since each file of the first load costs time. */
const needed = new Set<string>();

/** Gather what the page needs at once, and let the browser load it beside the first script, which imports it. */
const pageBeside: Plugin = {
  name: "page-beside",
  buildEnd() {
    const ids = [...this.getModuleIds()];
    const reached = (from: string, found = new Set<string>()) => {
      const waiting = ids.filter((id) => id.endsWith(from));
      for (let id = waiting.pop(); id; id = waiting.pop()) {
        if (found.has(id)) continue;
        found.add(id);
        waiting.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
      return found;
    };
    const first = reached("/src/main.ts");
    needed.clear();
    for (const id of reached("/src/page.ts")) if (!first.has(id)) needed.add(id);
  },
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === "chunk");
      const page = chunks.find(({ name }) => name === "page"); // `vite dev` has no bundle
      const entries = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
      const scripts = page ? [page.fileName, ...page.imports].filter((file) => !entries.has(file)) : [];
      const styles = scripts.flatMap((file) => [...(chunks.find(({ fileName }) => fileName === file)?.viteMetadata?.importedCss ?? [])]);
      const link = (rel: string) => (file: string): HtmlTagDescriptor => ({
        tag: "link",
        attrs: { rel, crossorigin: true, href: `./${file}` },
        injectTo: "head", // behind the first script, which has the open connection to the server
      });
      return [...scripts.map(link("modulepreload")), ...[...new Set(styles)].map(link("stylesheet"))];
    },
  },
};

export default defineConfig({
  plugins: [svelte(), pageBeside],
  base: "./",
  build: {
    outDir: "../static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: "page", test: (id) => needed.has(id) }] } },
    },
  },
  server: { proxy: { "/ws": { target: "ws://127.0.0.1:8765", ws: true }, "/glb": "http://127.0.0.1:8765" } },
});
