import { mount } from "svelte";
import "./app.css";
import App from "./components/App.svelte";
import { HttpHost } from "./lib/host";

mount(App, { target: document.getElementById("app")!, props: { host: new HttpHost(location) } });
