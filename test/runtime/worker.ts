// What runs in workerd under test: the Worker as it is deployed, and bare objects to open stores on.
import { DurableObject } from "cloudflare:workers";

export { default, NamespaceCoordinator, RefShard } from "../../src/index.ts";

export class StoreHost extends DurableObject {}
