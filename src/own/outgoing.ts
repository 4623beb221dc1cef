/**
 * Says in each request that leaves the Worker whose it is, as far as that is known: the gate, which sees the requests of all
 * objects of a process, could not tell. Has to be loaded before anything of hers, since some clients take `fetch` when they are
 * loaded.
 */
import { ACTIVATION_HEADER, GENERATION_HEADER, SESSION_HEADER, TRIAL_HEADER } from "../gate/attribution.ts";
import { ownerNow } from "../subject/uncaught.ts";
import { isSending } from "./own-life.ts";

const send = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const owner = ownerNow();
  const sender = isSending(owner) ? await owner.sender() : null;
  if (sender === null) return send(input, init);
  const request = new Request(input, init);
  request.headers.set(TRIAL_HEADER, sender.trial);
  request.headers.set(SESSION_HEADER, sender.session);
  if (sender.activation !== null) {
    request.headers.set(ACTIVATION_HEADER, sender.activation.id);
    request.headers.set(GENERATION_HEADER, String(sender.activation.generation));
  }
  return send(request);
};
