/** Where this checkout lies. Everything that the kit reads of itself is found from here. */
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
