/** The model's routes of the controller alone, over the trial's real ledger. */
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import { DIALECT_PATHS, handleModelRequest } from "../../../src/model/index.ts";

type Env = { readonly LEDGER: Fetcher; readonly KIT_SECRET: string };

export default {
  fetch(request: Request, env: Env): Promise<Response> | Response {
    const [, , trial = "", ...path] = new URL(request.url).pathname.split("/");
    const dialect = DIALECT_PATHS.find((one) => path.join("/") === `v1/${one}`);
    const authorised = request.headers.get("authorization") === `Bearer ${env.KIT_SECRET}`;
    if (dialect === undefined || !authorised) return new Response("not the model's", { status: 404 });
    const peer = {
      fetch: (url: string, init?: RequestInit) => env.LEDGER.fetch(url, init),
      base: "http://ledger.invalid",
      secret: env.KIT_SECRET,
    };
    return handleModelRequest(request, new LedgerLink(peer, trial), trial, dialect);
  },
};
