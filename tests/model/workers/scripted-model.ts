/** The scripted model in workerd, over a ledger that numbers calls and keeps what it is given in memory. */
import { DIALECT_PATHS, handleModelRequest, type ModelLedger } from "../../../src/model/index.ts";

const records: unknown[] = [];
let calls = 0;
const ledger: ModelLedger = {
  modelCall: async () => {
    calls += 1;
    return { call: calls, ordinal: calls, policy: "reissue", key: "scenario", intended: [] };
  },
  modelStream: async () => undefined,
  append: async (_id, record) => records.push(record),
};

export default {
  fetch(request: Request): Promise<Response> | Response {
    const { pathname } = new URL(request.url);
    const path = DIALECT_PATHS.find((one) => pathname === `/v1/${one}`);
    if (path === undefined) return Response.json(records);
    return handleModelRequest(request, ledger, "t1", path);
  },
};
