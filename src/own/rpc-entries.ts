/**
 * Notes calls of an object's methods from outside, by which the runtime enters it as by `fetch`. A method has to be found on a
 * prototype for that, and a class may know its own methods again (`Agent` keeps what is `@callable` by the function). So each
 * becomes a property that is read: the runtime, which reads it outside of any work of the object, gets the method wrapped;
 * the object's own code gets the method itself.
 *
 * Done after the first construction: some classes go through their prototypes in their constructor.
 */
import { DurableObject } from "cloudflare:workers";
import { asWorkOf, ownerNow } from "../subject/uncaught.ts";
import type { OwnLife } from "./own-life.ts";

type Method = (this: object, ...args: unknown[]) => unknown;

/** What the runtime calls by itself, which is wrapped on the instance. */
const HANDLERS: readonly string[] = [
  ...["constructor", "fetch", "alarm"],
  ...["webSocketMessage", "webSocketClose", "webSocketError"],
];

const lives = new WeakMap<object, OwnLife>();
const done = new WeakSet<object>();

export function noteCalls(agent: object, life: OwnLife): void {
  lives.set(agent, life);
  for (
    let prototype: object | null = Object.getPrototypeOf(agent);
    prototype !== null && prototype !== DurableObject.prototype && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    if (done.has(prototype)) continue;
    done.add(prototype);
    for (const name of Object.getOwnPropertyNames(prototype))
      if (!HANDLERS.includes(name)) noteCallsOf(prototype, name);
  }
}

function noteCallsOf(prototype: object, name: string): void {
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  if (own?.configurable !== true || typeof own.value !== "function") return;
  let method: unknown = own.value;
  let wrapped = entered(own.value as Method);
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: own.enumerable ?? false,
    get(this: object) {
      return ownerNow() === undefined ? wrapped : method;
    },
    set(this: object, value: unknown) {
      if (this === prototype) {
        method = value;
        wrapped = typeof value === "function" ? entered(value as Method) : (value as Method);
      } else
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

/** Synchronous where the method is. Requests that it sends wait for the activation to be told (outgoing.ts). */
function entered(method: Method): Method {
  const value: Method = function (...args) {
    const life = lives.get(this);
    if (life === undefined) return Reflect.apply(method, this, args);
    life.enteredBy("rpc");
    void life.begin().catch((error: unknown) => life.failed(error));
    return asWorkOf(life, () => Reflect.apply(method, this, args));
  };
  for (const name of ["name", "length"] as const)
    Object.defineProperty(value, name, { value: method[name], configurable: true });
  return value;
}
