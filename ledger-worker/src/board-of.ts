/** The one board of all trials, for those who write on it and those who read it. */
export function boardOf<Board extends Rpc.DurableObjectBranded>(env: {
  readonly RUNNER_BOARD: DurableObjectNamespace<Board>;
}): DurableObjectStub<Board> {
  return env.RUNNER_BOARD.getByName("board");
}
