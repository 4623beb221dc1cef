/**
 * The kill switch of one object: its alarm and all that it stored are deleted, and then its life in memory ends, so that
 * nothing of it goes on or comes back by itself. It is laid around a class from outside, before anything of the kit or the
 * harness runs for the request.
 */

/** Last part of the path. */
const HALT = "/halt";

export function isHalt(request: Request): boolean {
  return request.method === "POST" && new URL(request.url).pathname.endsWith(HALT);
}

/** Does not return: the object's caller sees it lost. */
export async function halt(ctx: DurableObjectState): Promise<never> {
  await ctx.storage.deleteAlarm();
  await ctx.storage.deleteAll();
  await ctx.storage.sync();
  ctx.abort("recovery-kit: halted");
  throw new Error("ctx.abort() returned");
}

/** The object itself, which now obeys the switch. */
export function withHalt<T extends object>(ctx: DurableObjectState, object: T): T {
  const own: unknown = Reflect.get(object, "fetch");
  if (typeof own !== "function") return object;
  const value = (request: Request): unknown =>
    isHalt(request) ? halt(ctx) : Reflect.apply(own, object, [request]);
  Reflect.defineProperty(object, "fetch", { value, configurable: true });
  return object;
}
