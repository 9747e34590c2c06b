// The workerd configuration: one bundle, run as three services.
//
//   speed    the Worker as it is deployed, next to what it is compared with
//   counted  the same settings, with the objects that count
//   short    the objects that count, in windows short enough to live through
import { readFile } from "node:fs/promises";
import { inRoot } from "./paths.ts";

export const SHORT_TIMING = { windowMs: 7_000, rollupMs: 1_000, graceMs: 300 };
export const WRITE_TOKEN = "bench-write";

/** Each is a socket on the loopback interface: which service, and which entrypoint of it. */
const SOCKETS = {
  driver: { service: "speed", entrypoint: "Driver" },
  quota: { service: "speed", entrypoint: "NamespaceQuota" },
  constant: { service: "speed", entrypoint: "ConstantWorker" },
  hono: { service: "speed", entrypoint: "HonoLimitedWorker" },
  textbook: { service: "speed", entrypoint: "TextbookWorker" },
  sharing: { service: "speed", entrypoint: "SharingWorker" },
  countedDriver: { service: "counted", entrypoint: "Driver" },
  shortDriver: { service: "short", entrypoint: "Driver" },
} as const;

export type SocketName = keyof typeof SOCKETS;
export const SOCKET_NAMES = Object.keys(SOCKETS) as readonly SocketName[];

const BINDINGS = {
  REF_SHARD: "RefShard",
  COUNTED_SHARD: "CountingRefShard",
  BARE: "BareObject",
  SHARING: "SharingObject",
  TWO_CALL: "TwoCallCoordinator",
  HONO_LIMITER: "DurableObjectRateLimiter",
  TEXTBOOK: "TextbookCounter",
};

const UNLIMITED = "18446744073709551615";

const SETTINGS = {
  QUOTA_WINDOW_MS: "3600000",
  QUOTA_MAX_OPS: UNLIMITED,
  QUOTA_MAX_BYTES: UNLIMITED,
  QUOTA_ROLLUP_MS: "60000",
  QUOTA_CLOCK_GRACE_MS: "30000",
  QUOTA_COORDINATOR_TIMEOUT_MS: "2000",
  QUOTA_WRITE_TOKEN: WRITE_TOKEN,
  QUOTA_ADMIN_TOKEN: "bench-admin",
};

const SHORT_SETTINGS = {
  ...SETTINGS,
  QUOTA_WINDOW_MS: String(SHORT_TIMING.windowMs),
  QUOTA_ROLLUP_MS: String(SHORT_TIMING.rollupMs),
  QUOTA_CLOCK_GRACE_MS: String(SHORT_TIMING.graceMs),
};

/** `bundle` is a path relative to the configuration; `disk` an absolute directory with one for each service. */
export async function workerdConfig({ bundle, disk }: { bundle: string; disk: string }): Promise<string> {
  const date = await compatibilityDate();
  const services = [
    service({ name: "speed", coordinator: "NamespaceCoordinator", settings: SETTINGS }),
    service({ name: "counted", coordinator: "CountingCoordinator", settings: SETTINGS }),
    service({ name: "short", coordinator: "CountingCoordinator", settings: SHORT_SETTINGS }),
  ];
  const disks = SERVICES.map((name) => `(name = "${name}-disk", disk = (path = "${disk}/${name}", writable = true))`);
  return [
    `using Workerd = import "/workerd/workerd.capnp";`,
    `const config :Workerd.Config = (services = [${[...services, ...disks].join(",\n")}], sockets = [${sockets()}]);`,
    `const bundle :Text = embed "${bundle}";`,
    "",
  ]
    .join("\n")
    .replaceAll("COMPATIBILITY_DATE", date);
}

export const SERVICES = ["speed", "counted", "short"] as const;

interface ServiceOptions {
  readonly name: (typeof SERVICES)[number];
  readonly coordinator: string;
  readonly settings: Readonly<Record<string, string>>;
}

function service({ name, coordinator, settings }: ServiceOptions): string {
  const bindings = { ...BINDINGS, NS_COORDINATOR: coordinator };
  const namespaces = Object.values(bindings).map(
    (className) => `(className = "${className}", uniqueKey = "${className}", enableSql = true)`,
  );
  const bound = [
    ...Object.entries(bindings).map(([to, className]) => `(name = "${to}", durableObjectNamespace = "${className}")`),
    ...Object.entries(settings).map(([to, text]) => `(name = "${to}", text = "${text}")`),
  ];
  return `(name = "${name}", worker = (
    modules = [(name = "main.js", esModule = .bundle)],
    compatibilityDate = "COMPATIBILITY_DATE",
    durableObjectNamespaces = [${namespaces.join(", ")}],
    durableObjectStorage = (localDisk = "${name}-disk"),
    bindings = [${bound.join(", ")}]))`;
}

function sockets(): string {
  return SOCKET_NAMES.map((name) => {
    const { service: target, entrypoint } = SOCKETS[name];
    return `(name = "${name}", address = "127.0.0.1:0", http = (), service = (name = "${target}", entrypoint = "${entrypoint}"))`;
  }).join(",\n");
}

/** The date the Worker is deployed with. */
async function compatibilityDate(): Promise<string> {
  const config = await readFile(inRoot("wrangler.toml"), "utf8");
  const date = /^compatibility_date\s*=\s*"([0-9-]+)"/m.exec(config)?.[1];
  if (date === undefined) throw new Error("wrangler.toml has no compatibility_date");
  return date;
}
