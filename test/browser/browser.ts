// Chromium, and pages of it that remember what went wrong in them.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const EXECUTABLE = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
/** No sandbox for root, and no traffic of the browser's own. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
}

export interface WatchedPage {
  readonly page: Page;
  /** Console errors (violations of the policy among them), exceptions, and requests to other origins. */
  readonly faults: readonly string[];
}

/** A new page of its own context, at the dashboard of the service. */
export async function openDashboard(
  browser: Browser,
  serviceUrl: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== serviceUrl) faults.push(`request to ${url.origin}`);
  });
  await page.goto(`${serviceUrl}/dashboard`);
  return { page, faults };
}

export async function watchNamespace(page: Page, namespace: string, token: string): Promise<void> {
  await page.getByLabel("Namespace").fill(namespace);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Watch" }).click();
}
