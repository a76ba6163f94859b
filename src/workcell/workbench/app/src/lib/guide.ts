// The guide: the page of the docs on the workbench, as far as it is for its users.
import text from "../../../../../../docs/workbench.md?raw";
import { sections } from "./markdown";

const FOR_BUILDERS = "how-the-page-is-built";
const all = sections(text);

export const GUIDE = all.slice(0, all.findIndex((section) => section.slug === FOR_BUILDERS));
