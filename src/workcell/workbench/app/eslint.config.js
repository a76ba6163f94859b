// What eslint finds in the page, beside the compiler: typescript-eslint's strict rules with types, and those of Svelte.
import globals from "globals";
import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["src/lib/commands.ts", "src/lib/protocol.ts", "node_modules"] }, // made by tools/generate.py
  ...ts.configs.strictTypeChecked,
  ...svelte.configs["flat/recommended"],
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, extraFileExtensions: [".svelte"] },
    },
  },
  {
    rules: {
      // A number of an array is there by the loop around it; a guard for each would hide what matters.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Maps and sets that are not reactive are so on purpose: a noun says what is followed.
      "svelte/prefer-svelte-reactivity": "off",
      // The types tell neither what the wire leaves out nor what changes during an `await`.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // `void scene.seen` in an effect or a derived value names what it follows.
      "@typescript-eslint/no-meaningless-void-operator": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true, ignoreVoidOperator: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "max-lines": ["error", 400],
    },
  },
  {
    files: ["src/lib/**"],
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group: ["**/components/**"], message: "Components are made of what is in lib/, and not the other way round." }] }],
    },
  },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } } },
  {
    // eslint knows no types of components, so that what their properties hand over is `any`; svelte-check knows them.
    files: ["**/*.svelte"],
    rules: Object.fromEntries(["argument", "assignment", "call", "return", "member-access"].map((kind) => [`@typescript-eslint/no-unsafe-${kind}`, "off"])),
  },
);
