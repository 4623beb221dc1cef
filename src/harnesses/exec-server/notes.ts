/** Where a rebinding client keeps what it has to remember: in the object's storage, or for as long as it lives itself. */
import { Binding, type Notes } from "./rebinding-client.ts";

const BINDING = "exec-server:binding";

export function durableNotes({ kv }: DurableObjectStorage): Notes {
  return {
    binding: () => Binding.optional().parse(kv.get(BINDING)),
    bind: (binding) => kv.put(BINDING, binding),
    referenceTo: (work) => kv.get<string>(keyOf(work)),
    refer: (work, reference) => kv.put(keyOf(work), reference),
  };
}

export function passingNotes(): Notes {
  let bound: Binding | undefined;
  const references = new Map<string, string>();
  return {
    binding: () => bound,
    bind(binding) {
      bound = binding;
    },
    referenceTo: (work) => references.get(work),
    refer(work, reference) {
      references.set(work, reference);
    },
  };
}

function keyOf(work: string): string {
  return `exec-server:work:${work}`;
}
