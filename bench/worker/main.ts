// The bench's Worker: what is measured and what it is compared with, side by side in one isolate.
export { default as NamespaceQuota, NamespaceCoordinator, RefShard } from "../../src/index.ts";
export { BareObject } from "./bare-object.ts";
export { ConstantWorker } from "./constant.ts";
export { CountingCoordinator, CountingRefShard } from "./counting-objects.ts";
export { Driver } from "./driver.ts";
export { DurableObjectRateLimiter, HonoLimitedWorker } from "./hono-limited.ts";
export { SharingObject, SharingWorker } from "./sharing-object.ts";
export { TextbookCounter, TextbookWorker } from "./textbook-counter.ts";
export { TwoCallCoordinator } from "./two-call-coordinator.ts";
