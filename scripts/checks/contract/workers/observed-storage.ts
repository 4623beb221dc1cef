/**
 * Crash points that any host has, because the storage is ours: the host is handed a view of it that says which
 * durable events a transaction has stored, once that transaction is committed and before the host goes on.
 *
 * Reads SQL only as far as to recognise an event row (host contract, sections 5.1 and 11.1). Changes nothing.
 */

const EVENT_ROW = /^\s*insert\b[^;]*?\binto\s+["`]?event["`]?[\s(]/i;
const STORED_TYPE = /^(session\.[a-z.]+)\.\d+$/;
const STORED_TYPE_LITERAL = /'(session\.[a-z.]+)\.\d+'/g;

/** @param onCommitted - Called once per stored event, in order, with its type without the version. */
export function observedStorage(
  storage: DurableObjectStorage,
  onCommitted: (type: string) => void,
): DurableObjectStorage {
  let open: string[] | undefined;
  const exec: SqlStorage["exec"] = (query, ...bindings) => {
    if (EVENT_ROW.test(query)) open?.push(...storedTypes(query, bindings));
    return storage.sql.exec(query, ...bindings);
  };
  const sql = overlay(storage.sql, { exec });
  const transaction: DurableObjectStorage["transaction"] = async (body) => {
    const stored: string[] = [];
    // Hosts open one transaction at a time: they hold one permit (host contract, section 11.3).
    const result = await storage.transaction(async (inner) => {
      open = stored;
      try {
        return await body(inner);
      } finally {
        open = undefined;
      }
    });
    for (const type of stored) onCommitted(type);
    return result;
  };
  return overlay(storage, { sql, transaction });
}

function storedTypes(query: string, bindings: readonly unknown[]): string[] {
  const bound = bindings.flatMap((value) =>
    typeof value === "string" ? (STORED_TYPE.exec(value)?.[1] ?? []) : [],
  );
  const literal = [...query.matchAll(STORED_TYPE_LITERAL)].flatMap(([, type]) => type ?? []);
  return [...bound, ...literal];
}

/** The object with some of its members replaced; methods keep their own `this`. */
function overlay<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get(object, key) {
      if (Object.hasOwn(replaced, key)) return Reflect.get(replaced, key);
      const value: unknown = Reflect.get(object, key, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}
