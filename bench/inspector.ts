// workerd's inspector, as far as profiling needs it.
// https://chromedevtools.github.io/devtools-protocol/v8/Profiler/

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface Inspector {
  startProfile(): Promise<void>;
  stopProfile(): Promise<CpuProfile>;
  close(): void;
}

const SAMPLING_INTERVAL_US = 200;
const ANSWER_TIMEOUT_MS = 20_000;

export async function connectInspector(address: string, service: string): Promise<Inspector> {
  const targets = (await (await fetch(`http://${address}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const target = targets.find(({ webSocketDebuggerUrl }) => webSocketDebuggerUrl.endsWith(service));
  if (target === undefined) throw new Error(`the inspector has no ${service}: ${JSON.stringify(targets)}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  let lastId = 0;
  const ask = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method, params }));
    return answerTo(socket, id);
  };
  return {
    startProfile: async () => {
      await ask("Profiler.enable");
      await ask("Profiler.setSamplingInterval", { interval: SAMPLING_INTERVAL_US });
      await ask("Profiler.start");
    },
    stopProfile: async () => ((await ask("Profiler.stop")) as { profile: CpuProfile }).profile,
    close: () => socket.close(),
  };
}

function answerTo(socket: WebSocket, id: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the inspector does not answer")), ANSWER_TIMEOUT_MS);
    const onMessage = ({ data }: MessageEvent): void => {
      const message = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: { message: string } };
      if (message.id !== id) return;
      clearTimeout(timer);
      socket.removeEventListener("message", onMessage);
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(message.error.message));
    };
    socket.addEventListener("message", onMessage);
  });
}
