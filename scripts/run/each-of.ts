/** How many requests to the lab are under way at the same time. */
const REQUESTS_AT_ONCE = 16;

/** Runs `work` over all items, a bounded number at a time. The first failure is thrown. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_AT_ONCE, queue.length) }, worker));
}
