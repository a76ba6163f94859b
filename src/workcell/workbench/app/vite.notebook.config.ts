// The page for notebooks: one document with everything in it, and the script of the widget that shows it. They come
// through the kernel, where there are no addresses to load parts from.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** Write the script and the styles into one document. */
function oneDocument(): Plugin {
  return {
    name: "one-document",
    // Last: other plugins still write into the script.
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        let script = "";
        let style = "";
        for (const [name, file] of Object.entries(bundle)) {
          if (file.type === "chunk") script += file.code;
          else if (name.endsWith(".css")) style += String(file.source);
          delete bundle[name];
        }
        const safe = script.replaceAll(/<(?=\/script|!--)/gi, "\\x3C"); // these would end the script
        const source = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Workcell</title>
<style>${style}</style></head>
<body><div id="app"></div><script type="module">${safe}</script></body>
</html>
`;
        this.emitFile({ type: "asset", fileName: "page.html", source });
      },
    },
  };
}

export default defineConfig(({ mode }) => ({
  plugins: mode === "widget" ? [] : [svelte(), oneDocument()],
  build: {
    outDir: "../static/notebook",
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    modulePreload: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: mode === "widget" ? "src/notebook/widget.ts" : "src/notebook/page.ts",
      preserveEntrySignatures: "strict",
      output: { format: "es", codeSplitting: false, entryFileNames: "[name].js" },
    },
  },
}));
