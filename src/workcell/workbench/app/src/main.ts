// The first script of the page. It is small, so that the server answers while the rest is loaded.
import { HttpHost } from "./lib/host";
import { softwareRendered } from "./lib/view/canvas";

const host = new HttpHost(location);
host.knock();
setTimeout(softwareRendered);
const parsed = document.readyState === "loading" && new Promise((done) => document.addEventListener("DOMContentLoaded", done));
Promise.all([import("./page"), parsed]).then(
  ([{ show }]) => show(host),
  () => (document.body.textContent = "The page could not be loaded. Is the server running? Reload the page."),
);
