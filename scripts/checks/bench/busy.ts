/** Other processes that keep the machine busy while something is measured beside them. */
import { spawn } from "node:child_process";

/** Works without a pause, and looks now and then whether whoever started it is still there. */
const BURN = "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e8; i++);";

/** Starts `processes` of them. The result ends them, as the end of this process does. */
export function keepBusy(processes: number): () => void {
  const burners = Array.from({ length: processes }, () =>
    spawn(process.execPath, ["-e", BURN], { stdio: "ignore" }),
  );
  const end = () => burners.forEach((burner) => void burner.kill("SIGKILL"));
  process.once("exit", end);
  return () => {
    process.off("exit", end);
    end();
  };
}
